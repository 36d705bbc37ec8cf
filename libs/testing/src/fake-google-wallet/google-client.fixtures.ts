import { createPublicKey, sign, verify } from 'node:crypto';
import type { FakeGoogleWallet } from './fake-google-wallet.js';
import type { TestServiceAccount } from './service-accounts.js';

export interface ClientResponse {
  readonly status: number;
  readonly reason: string | undefined;
  readonly retryAfter: string | null;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export const text = (value: string) => ({ defaultValue: { language: 'en', value } });
export const image = (uri: string) => ({ sourceUri: { uri } });

/** Builds a JWT and signs it with the account's key or another key. */
export function jwt(
  { privateKeyPem }: Pick<TestServiceAccount, 'privateKeyPem'>,
  claims: object,
  header: object = { alg: 'RS256', typ: 'JWT' },
): string {
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKeyPem).toString('base64url')}`;
}

export function assertion(account: TestServiceAccount, claims: object = {}): object {
  const iat = Math.floor(Date.now() / 1000);
  const scope = 'https://www.googleapis.com/auth/wallet_object.issuer';
  const aud = 'https://oauth2.googleapis.com/token';
  return { iss: account.clientEmail, scope, aud, iat, exp: iat + 3600, ...claims };
}

/** A client that follows Google's documentation. */
export class GoogleClient {
  private token = '';

  constructor(
    readonly fake: FakeGoogleWallet,
    readonly account: TestServiceAccount = fake.serviceAccount(),
  ) {}

  id(suffix: string): string {
    return `${this.account.issuerId}.${suffix}`;
  }

  async grant(signed: string, grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
    const body = new URLSearchParams({ grant_type: grantType, assertion: signed });
    const response = await fetch(this.fake.urls.token, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async authorize(): Promise<this> {
    const { body } = await this.grant(jwt(this.account, assertion(this.account)));
    this.token = String(body['access_token']);
    return this;
  }

  async call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<ClientResponse> {
    const response = await fetch(`${this.fake.urls.api}/walletobjects/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    });
    const json = JSON.parse(await response.text());
    const reason = json.error?.errors?.[0]?.reason;
    return { status: response.status, reason, retryAfter: response.headers.get('retry-after'), body: json };
  }

  offerClass(suffix: string, more: object = {}) {
    return {
      id: this.id(suffix),
      issuerName: 'Bakery',
      provider: 'Bakery',
      title: 'Ten per cent off',
      redemptionChannel: 'BOTH',
      reviewStatus: 'UNDER_REVIEW',
      ...more,
    };
  }

  offerObject(suffix: string, classSuffix: string, more: object = {}) {
    return { id: this.id(suffix), classId: this.id(classSuffix), state: 'ACTIVE', ...more };
  }

  /** Inserts a class, and an object of this class. */
  async offer(suffix: string, { classMore = {}, objectMore = {} } = {}): Promise<string> {
    for (const [resource, body] of [
      ['offerClass', this.offerClass(`c-${suffix}`, classMore)],
      ['offerObject', this.offerObject(suffix, `c-${suffix}`, objectMore)],
    ] as const) {
      const { status, body: response } = await this.call('POST', resource, body);
      if (status !== 200) throw new Error(JSON.stringify(response));
    }
    return this.id(suffix);
  }

  link(payload: object, claims: object = {}): string {
    const iat = Math.floor(Date.now() / 1000);
    const all = {
      iss: this.account.clientEmail,
      aud: 'google',
      typ: 'savetowallet',
      iat,
      origins: [],
      payload,
      ...claims,
    };
    return `${this.fake.urls.save}/${jwt(this.account, all)}`;
  }
}

/**
 * Verifies a callback with the steps that Google documents.
 * @returns the message, or a text about the error
 */
export function readCallback(body: string, keys: { keys: Record<string, string>[] }, issuerId: string, now: number) {
  const { signature, intermediateSigningKey, protocolVersion, signedMessage } = JSON.parse(body);
  if (protocolVersion !== 'ECv2SigningOnly') return 'protocol';
  const lengthPrefixed = (...texts: string[]) =>
    Buffer.concat(
      texts.flatMap((each) => [Buffer.from(Uint32Array.of(Buffer.byteLength(each)).buffer), Buffer.from(each)]),
    );
  const isSigned = (bytes: Buffer, by: string, base64: string) => {
    const key = createPublicKey({ key: Buffer.from(by, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', bytes, key, Buffer.from(base64, 'base64'));
  };
  const roots = keys.keys.filter(
    (key) => key['protocolVersion'] === 'ECv2SigningOnly' && Number(key['keyExpiration']) > now,
  );
  const { signedKey, signatures } = intermediateSigningKey as { signedKey: string; signatures: string[] };
  const keyBytes = lengthPrefixed('GooglePayPasses', 'ECv2SigningOnly', signedKey);
  if (!roots.some((root) => signatures.some((each) => isSigned(keyBytes, root['keyValue'] ?? '', each)))) return 'root';
  const { keyValue, keyExpiration } = JSON.parse(signedKey);
  if (Number(keyExpiration) <= now) return 'intermediate';
  const messageBytes = lengthPrefixed('GooglePayPasses', issuerId, 'ECv2SigningOnly', signedMessage as string);
  if (!isSigned(messageBytes, keyValue as string, signature as string)) return 'signature';
  const message = JSON.parse(signedMessage as string);
  return message.expTimeMillis <= now ? 'expired' : message;
}
