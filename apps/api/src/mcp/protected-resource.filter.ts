import { Catch, type ArgumentsHost } from '@nestjs/common';
import { TokenExpired, Unauthorized } from '@passwright/core';
import { AppErrorFilter } from '@passwright/http';
import { errorHelpUrl } from '../pages/page.js';
import { McpOptions } from './mcp.options.js';

/** Adds the address with the authorization servers to a 401, if servers are configured (RFC 9728 §5.1). */
@Catch(Unauthorized, TokenExpired)
export class ProtectedResourceFilter extends AppErrorFilter {
  constructor(private readonly options: McpOptions) {
    super(errorHelpUrl(options.baseUrl));
  }

  override catch(error: Unauthorized | TokenExpired, host: ArgumentsHost): void {
    super.catch(this.options.authorizationServers.length > 0 ? this.challenge(error) : error, host);
  }

  private challenge(error: Unauthorized | TokenExpired): Error {
    const scheme = error.headers['WWW-Authenticate'];
    const metadata = `resource_metadata="${this.options.baseUrl}/.well-known/oauth-protected-resource/mcp"`;
    const challenge = `${scheme}${scheme === 'Bearer' ? '' : ','} ${metadata}`;
    return Object.assign(error, { headers: { 'WWW-Authenticate': challenge } });
  }
}
