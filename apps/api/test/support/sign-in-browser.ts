import type { IdentityProvider } from './identity-provider.js';
import type { ApiResponse, RunningService } from './running-service.js';

/** Returns true if a response is the consent page. */
export const isPage = ({ headers }: ApiResponse): boolean =>
  headers.get('content-type')?.startsWith('text/html') === true;
/** Returns the token in the form of the consent page. */
export const tokenOf = ({ bytes }: ApiResponse): string =>
  /name="token" value="([\w-]{43})"/.exec(bytes.toString())?.[1] ?? 'none';
/** Returns the cookie that the consent page has set. */
export const consentOf = ({ headers }: ApiResponse): string =>
  /passwright-consent=[\w-]+/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '';

/** A browser that signs in at the provider and keeps no cookies between sign-ins. */
export class SignInBrowser {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly service: RunningService,
  ) {}

  async start(query: Record<string, string> = {}, node = this.service) {
    const response = await node.request('GET', `/v1/auth/oidc/start?${new URLSearchParams(query).toString()}`);
    const cookie = response.headers.get('set-cookie') ?? '';
    return { response, address: response.headers.get('location') ?? '', cookie, held: cookie.split(';', 1)[0] ?? '' };
  }

  come(address: string, cookie: string, node = this.service): Promise<ApiResponse> {
    return node.request('GET', address, { headers: { Cookie: cookie } });
  }

  /** Follows the redirects to the response of the callback. */
  async visit(query: Record<string, string> = {}, nodes = [this.service, this.service]): Promise<ApiResponse> {
    const { address, held } = await this.start(query, nodes[0]);
    return this.come(await this.provider.visit(address), held, nodes[1]);
  }

  confirm(token: string, cookie: string, node = this.service): Promise<ApiResponse> {
    return node.request('POST', '/v1/auth/oidc/confirm', {
      body: new URLSearchParams({ token }).toString(),
      headers: { Cookie: cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  }

  /** Clicks the button if the response is the consent page. */
  agree(reply: ApiResponse, node = this.service): Promise<ApiResponse> {
    return isPage(reply) ? this.confirm(tokenOf(reply), consentOf(reply), node) : Promise.resolve(reply);
  }

  /** Signs in, and agrees on the consent page if there is one. */
  async signIn(query: Record<string, string> = {}, nodes = [this.service, this.service]): Promise<ApiResponse> {
    return this.agree(await this.visit(query, nodes), nodes[0]);
  }
}
