import { Controller, Get, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiErrors, Public, RouteNotFound, scopes } from '@passwright/core';
import type { Request } from 'express';
import { McpOptions } from './mcp.options.js';

/** The metadata of a protected resource (RFC 9728 §2). */
interface ProtectedResource {
  readonly resource: string;
  readonly resource_name: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly string[];
}

/** Announces the authorization servers to clients. Responds with 404 if no servers are configured. */
@ApiExcludeController()
@Controller('.well-known/oauth-protected-resource')
export class ProtectedResourceController {
  constructor(private readonly options: McpOptions) {}

  @Get()
  @Public()
  @ApiErrors(RouteNotFound)
  service(@Req() { path }: Request): ProtectedResource {
    return this.describe(this.options.baseUrl, path);
  }

  @Get('mcp')
  @Public()
  @ApiErrors(RouteNotFound)
  mcp(@Req() { path }: Request): ProtectedResource {
    return this.describe(`${this.options.baseUrl}/mcp`, path);
  }

  /** Describes a protected resource. @throws RouteNotFound without authorization servers */
  private describe(resource: string, path: string): ProtectedResource {
    const { authorizationServers } = this.options;
    if (authorizationServers.length === 0)
      throw new RouteNotFound(`There is no route GET ${path}; /docs lists all of them.`);
    return {
      resource,
      resource_name: 'Passwright',
      authorization_servers: authorizationServers,
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
    };
  }
}
