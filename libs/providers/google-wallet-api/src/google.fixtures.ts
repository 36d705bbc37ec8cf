import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type GoogleServiceAccount, type GoogleResource, GoogleQuota, type GoogleUrgency } from '@passwright/core';
import { FixedClock } from '@passwright/testing';
import { verify } from 'jsonwebtoken';
import { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
import { type GoogleLimits } from './google-limits.js';
import { RestGoogleWallet } from './rest-google-wallet.js';

export const ISSUER = '3388000000012345678';
export const keyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

export const serviceAccount: GoogleServiceAccount = {
  issuerId: ISSUER,
  clientEmail: 'passes@example.iam.gserviceaccount.com',
  privateKeyPem: pemOf(keyPair.privateKey),
};

/**
 * A scripted response. `drop` closes the connection without a response, and `hang` leaves it open without a response.
 */
export type Script =
  { status: number; body?: unknown; text?: string; headers?: Record<string, string> } | 'drop' | 'hang';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

export function problem(status: number, reason: string, message = 'No.') {
  return { status, body: { error: { code: status, message, errors: [{ message, domain: 'walletobjects', reason }] } } };
}

/**
 * A server that responds to token requests by the rules of OAuth, and to other requests by a script. After the script,
 * it returns 200 with the body of the request.
 */
export class GoogleServer {
  readonly seen: Seen[] = [];
  readonly assertions: Record<string, unknown>[] = [];
  readonly script: Script[] = [];
  readonly tokenScript: Script[] = [];
  readonly keyScript: Script[] = [];
  keyFetches = 0;
  expiresIn = 3600;
  private tokens = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.result(request, response));
  }

  static async start(): Promise<GoogleServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new GoogleServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get urls() {
    return {
      apiUrl: this.url,
      tokenUrl: `${this.url}/token`,
      saveUrl: null,
      callbackKeysUrl: `${this.url}/keys`,
    };
  }

  /** The requests in order, for example `POST genericObject`. */
  get calls(): string[] {
    return this.seen.map(({ method, path }) => `${method} ${path.replace('/walletobjects/v1/', '')}`);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async result(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const script =
      request.url === '/token' ? this.token(text) : request.url === '/keys' ? this.key() : this.api(request, text);
    if (script === 'drop') return void request.socket.destroy();
    if (script === 'hang') return;
    response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers });
    response.end(script.text ?? JSON.stringify(script.body ?? {}));
  }

  private token(form: string): Script {
    const assertion = new URLSearchParams(form).get('assertion') ?? '';
    const claims = verify(assertion, keyPair.publicKey, { algorithms: ['RS256'], ignoreExpiration: true });
    this.assertions.push(claims as Record<string, unknown>);
    const scripted = this.tokenScript.shift();
    if (scripted) return scripted;
    const body = { access_token: `token-${++this.tokens}`, expires_in: this.expiresIn, token_type: 'Bearer' };
    return { status: 200, body };
  }

  private key(): Script {
    this.keyFetches++;
    return this.keyScript.shift() ?? { status: 503 };
  }

  private api({ method = '', url = '', headers }: IncomingMessage, text: string): Script {
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    this.seen.push({ method, path: url, authorization: headers.authorization, body });
    return this.script.shift() ?? { status: 200, body: { ...body, hasUsers: false } };
  }
}

/** A quota that allows every request and records its caller. */
export class OpenQuota extends GoogleQuota {
  readonly taken: [string, GoogleUrgency, number][] = [];

  override take(issuerId: string, urgency: GoogleUrgency, maxWaitMs: number): Promise<void> {
    this.taken.push([issuerId, urgency, maxWaitMs]);
    return Promise.resolve();
  }
}

/** Creates a client of `server` with the operator's service account and short pauses. */
export function walletFor(server: GoogleServer, limits: Partial<GoogleLimits> = {}) {
  const options = { serviceAccount: { kind: 'operator', ...serviceAccount }, tokenUrl: server.urls.tokenUrl } as const;
  const clock = new FixedClock();
  const quota = new OpenQuota();
  const wallet = new RestGoogleWallet(server.urls, new ResolvedServiceAccounts(options), quota, clock, {
    backoffFirstMs: 1,
    ...limits,
  });
  return { wallet, clock, quota };
}

const text = (value: string) => ({ defaultValue: { language: 'en', value } });

export const genericObject: GoogleResource = {
  vertical: 'generic',
  part: 'object',
  body: {
    id: `${ISSUER}.pass_1`,
    classId: `${ISSUER}.template_1`,
    state: 'ACTIVE',
    cardTitle: text('Ada'),
    header: text('Visitor'),
  },
  owned: ['cardTitle', 'header', 'subheader', 'barcode'],
  exists: false,
};

export const genericClass: GoogleResource = {
  vertical: 'generic',
  part: 'class',
  body: { id: `${ISSUER}.template_1` },
  owned: ['classTemplateInfo'],
  exists: false,
};
