import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sign, type SignOptions } from 'jsonwebtoken';

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Deviations of the fake issuer from a correct response. */
export interface Forgery {
  readonly claims?: Record<string, unknown>;
  readonly algorithm?: SignOptions['algorithm'];
  readonly signedBy?: KeyObject | string;
  /** Replaces the ID token. */
  readonly idToken?: (good: string) => string | undefined;
  readonly userinfo?: Record<string, unknown>;
  /** Extra bytes in the token response. */
  readonly padding?: number;
  /** Status of the token response. */
  readonly status?: number;
}

/** An issuer that uses the real protocol and returns what a test has configured. */
export class FakeIssuer {
  forgery: Forgery = {};
  /** Properties that the issuer adds to its metadata. */
  metadata: Record<string, unknown> = {};
  /** The nonce in the ID token. */
  nonce = '';
  /** The received requests: path, authorization header, body. */
  readonly requests: { readonly path: string; readonly authorization?: string; readonly body: URLSearchParams }[] = [];

  private key = newKey();
  private keyId = '1';

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<FakeIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = new FakeIssuer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void issuer.respond(request, response));
    return issuer;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Replaces the key that signs ID tokens. */
  rotateKey(keyId: string): void {
    this.key = newKey();
    this.keyId = keyId;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const body = new URLSearchParams(await text(request));
    this.requests.push({ path, authorization: request.headers.authorization, body });
    const responses: Record<string, () => object> = {
      '/.well-known/openid-configuration': () => this.discovery(),
      '/jwks': () => ({ keys: [{ ...this.publicKey(), kid: this.keyId, alg: 'RS256', use: 'sig' }] }),
      '/token': () => this.tokens(),
      '/userinfo': () => ({ sub: 'ada', ...this.forgery.userinfo }),
    };
    response.statusCode = path === '/token' ? (this.forgery.status ?? 200) : 200;
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(responses[path]?.() ?? {}));
  }

  private publicKey(): object {
    return this.key.publicKey.export({ format: 'jwk' });
  }

  private discovery(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      id_token_signing_alg_values_supported: ['RS256'],
      ...this.metadata,
    };
  }

  private tokens(): object {
    const { claims, algorithm = 'RS256', signedBy = this.key.privateKey, idToken = (good) => good } = this.forgery;
    const now = Math.floor(Date.now() / 1000);
    const good = { iss: this.issuer, sub: 'ada', aud: 'passwright', iat: now, exp: now + 60, nonce: this.nonce };
    const payload = JSON.parse(JSON.stringify({ ...good, ...claims })) as object;
    const token = idToken(sign(payload, signedBy, { algorithm, keyid: this.keyId }));
    const padding = 'x'.repeat(this.forgery.padding ?? 0);
    return { access_token: randomUUID(), token_type: 'Bearer', id_token: token, padding };
  }
}
