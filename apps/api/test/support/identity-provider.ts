import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';

/** The person who is signed in at the provider. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** The part of oidc-provider that this file uses. The package has no types. */
interface Provider {
  callback(): RequestListener;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ params: { client_id: string } }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  readonly Grant: new (of: object) => { addOIDCScope(scopes: string): void; save(): Promise<string> };
}
interface ProviderModule {
  default: new (issuer: string, configuration: object) => Provider;
}

/** A real OpenID provider (oidc-provider) on this machine. It asks nobody to sign in: every visitor is `person`. */
export class IdentityProvider {
  /** The person who signs in next; null for a visitor who declines. */
  person: Person | null = null;
  /** If true, the provider drops every connection. */
  isAway = false;
  private readonly provider: Provider;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
    services: readonly string[],
  ) {
    this.provider = this.newProvider(services.map((baseUrl) => `${baseUrl}/v1/auth/oidc/callback`));
  }

  /**
   * Starts a provider.
   * @param services the base URLs of the services that use it
   */
  static async start(...services: string[]): Promise<IdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const started = new IdentityProvider(server, issuer, services);
    server.on('request', (request, response) => void started.respond(request, response));
    return started;
  }

  /** Returns the environment of a service that uses the provider. */
  environmentFor(baseUrl: string): Record<string, string> {
    return {
      BASE_URL: baseUrl,
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_RETURN_URLS: 'https://app.example.com/signed-in',
    };
  }

  /** Creates a person whom no service knows, with a verified address. */
  newPerson(changes: Partial<Person> = {}): Person {
    this.person = { sub: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: true, ...changes };
    return this.person;
  }

  /** Visits the provider like a browser. @returns the address that it redirects back to */
  async visit(address: string): Promise<string> {
    const cookies = new Map<string, string>();
    let next = address;
    while (next.startsWith(this.issuer)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next, { redirect: 'manual', headers: { Cookie: cookie } });
      const location = response.headers.get('location');
      if (!location) throw new Error(`The provider returned ${response.status}: ${await response.text()}`);
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      next = new URL(location, next).href;
    }
    return next;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider } = this;
    if (this.isAway) return void request.socket.destroy();
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response);
    const { person } = this;
    if (!person) return provider.interactionFinished(request, response, { error: 'access_denied' });
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: person.sub, clientId: params.client_id });
    grant.addOIDCScope('openid email profile');
    await provider.interactionFinished(request, response, {
      login: { accountId: person.sub },
      consent: { grantId: await grant.save() },
    });
  }

  private newProvider(redirects: readonly string[]): Provider {
    const people = new Map<string, Person>();
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const lifetimes = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'];
    // Suppress warnings about storage in memory and about our oldest Node version.
    const warning = jest.spyOn(console, 'warn').mockImplementation();
    const { default: ProviderClass } = createRequire(__filename)('oidc-provider') as ProviderModule;
    const provider = new ProviderClass(this.issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirects }],
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      cookies: { keys: [randomUUID()] },
      jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256' }] },
      ttl: Object.fromEntries(lifetimes.map((name) => [name, 600])),
      findAccount: (_: unknown, accountId: string) => {
        if (this.person?.sub === accountId) people.set(accountId, this.person);
        return { accountId, claims: () => people.get(accountId) ?? { sub: accountId } };
      },
    });
    warning.mockRestore();
    return provider;
  }
}

const clientId = 'passwright';
const clientSecret = 'a secret: of the client, with/odd+characters';
