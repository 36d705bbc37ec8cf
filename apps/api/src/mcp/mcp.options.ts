/** What the MCP server is made with. */
export abstract class McpOptions {
  /** Public address of the service: requests that name another host, or come from pages elsewhere, are refused. */
  abstract readonly baseUrl: string;
  /** Keys the tokens of plans: the same on every node. */
  abstract readonly planSecret: string;
  /** Addresses of the authorization servers whose tokens are taken, for `/.well-known/oauth-protected-resource`. */
  abstract readonly authorizationServers: readonly string[];
}
