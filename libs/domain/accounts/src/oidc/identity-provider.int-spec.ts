import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Unauthorized } from '@passwright/core';
import { FixedClock } from '@passwright/testing';
import { Logger } from '@nestjs/common';
import { FakeIssuer, type Forgery } from './fake-issuer.fixtures.js';
import { IdentityProvider } from './identity-provider.service.js';
import { IdentityProviderUnavailable, OidcIsOff } from './oidc.errors.js';
import type { OidcProviderOptions } from './oidc.options.js';

let issuer: FakeIssuer;
let warnings: jest.SpyInstance;

beforeAll(async () => {
  issuer = await FakeIssuer.start();
});
beforeEach(() => {
  issuer.forgery = {};
  issuer.metadata = {};
  warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
});
afterEach(() => warnings.mockRestore());
afterAll(() => issuer.stop());

const attempt = {
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  codeVerifier: 'v'.repeat(43),
  accountId: null,
  returnTo: null,
  invite: null,
};
const verified = { email: 'ada@example.com', email_verified: true };

function providerWith(changes: Partial<OidcProviderOptions> = {}, clock = new FixedClock()): IdentityProvider {
  const provider: OidcProviderOptions = {
    issuer: issuer.issuer,
    clientId: 'passwright',
    clientSecret: 'a secret: with odd+characters/',
    clientAuthentication: 'auto',
    scopes: 'openid email',
    returnUrls: [],
    registration: 'closed',
    ...changes,
  };
  return new IdentityProvider({ baseUrl: 'https://passes.example.com', provider }, clock);
}

/** Signs in while the issuer responds with `forgery`. Returns the result. */
function redeem(forgery: Forgery = {}, provider = providerWith(), search: Record<string, string> = {}) {
  issuer.forgery = forgery;
  issuer.nonce = attempt.nonce;
  return provider.redeem(new URLSearchParams({ code: 'c', state: attempt.state, ...search }), attempt);
}

describe('the identity of a signed-in person', () => {
  it('an identity consists of the issuer, the subject and, if it is verified, the e-mail', async () => {
    const identity = { issuer: issuer.issuer, subject: 'ada', email: 'ada@example.com', name: 'Ada Lovelace' };
    expect(await redeem({ claims: { ...verified, name: ' Ada\u0000Lovelace\n' } })).toEqual(identity);
    expect(await redeem({ userinfo: { ...verified, email_verified: 'true' } })).toEqual({ ...identity, name: null });
  });

  it('an identity contains an e-mail only if it is valid and its source marks it as verified', async () => {
    const forgeries: Forgery[] = [
      {},
      { claims: { email: verified.email, email_verified: false }, userinfo: verified },
      { claims: { email_verified: true }, userinfo: { email: verified.email } },
      { claims: { email: verified.email }, userinfo: { email_verified: true } },
      { claims: { ...verified, email_verified: 1 } },
      { claims: { ...verified, email: 'ada@example.com, eve@example.com' } },
      { claims: { ...verified, email: ['ada@example.com'] } },
      { claims: { ...verified, email: `${'a'.repeat(250)}@example.com` } },
    ];
    for (const forgery of forgeries) expect(await redeem(forgery)).toMatchObject({ subject: 'ada', email: null });
  });

  it('the service requests the identity with its client credentials and the code verifier of the attempt', async () => {
    issuer.requests.length = 0;
    await redeem({ claims: verified });
    const asked = issuer.requests.find(({ path }) => path === '/token');
    expect(Object.fromEntries(asked?.body ?? [])).toMatchObject({
      grant_type: 'authorization_code',
      code: 'c',
      code_verifier: attempt.codeVerifier,
      redirect_uri: 'https://passes.example.com/v1/auth/oidc/callback',
    });
    // The credentials are encoded like form values (RFC 6749 §2.3.1).
    const credentials = Buffer.from(asked?.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    expect(credentials).toBe('passwright:a+secret%3A+with+odd%2Bcharacters%2F');

    issuer.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    await redeem({ claims: verified });
    const sent = issuer.requests.filter(({ path }) => path === '/token').at(-1);
    expect([sent?.authorization, sent?.body.get('client_secret')]).toEqual([
      undefined,
      'a secret: with odd+characters/',
    ]);
  });
});

describe('401 unauthorized for a sign-in', () => {
  const now = Math.floor(Date.now() / 1000);
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const unsigned = (good: string) => {
    const header = Buffer.from('{"alg":"none","kid":"1"}').toString('base64url');
    return `${header}.${good.split('.')[1]}.`;
  };
  const changed = (good: string) => {
    const [head, payload = '', signature] = good.split('.');
    const text = Buffer.from(payload, 'base64url').toString().replace('"ada"', '"eve"');
    return [head, Buffer.from(text).toString('base64url'), signature].join('.');
  };
  const forgeries: [string, Forgery][] = [
    ['another nonce', { claims: { nonce: 'x' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another audience', { claims: { aud: 'another' } }],
    [
      'several audiences, with another authorized party',
      { claims: { aud: ['passwright', 'another'], azp: 'another' } },
    ],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['an ID token that has expired', { claims: { iat: now - 600, exp: now - 120 } }],
    ['an ID token without an expiry', { claims: { exp: undefined } }],
    ['the signature of another key', { signedBy: stranger }],
    ['another algorithm with the same key', { algorithm: 'RS512' }],
    ['a signature by the client secret', { algorithm: 'HS256', signedBy: 'a secret: with odd+characters/' }],
    ['no signature', { idToken: unsigned }],
    ['a changed payload', { idToken: changed }],
    ['no ID token at all', { idToken: () => undefined }],
    ['no subject', { claims: { sub: undefined } }],
    ['a subject that is not visible ASCII', { claims: { sub: 'a\u0000b' } }],
    ['a subject of 256 characters', { claims: { sub: 'a'.repeat(256) } }],
    ['userinfo of another person', { userinfo: { ...verified, sub: 'eve' } }],
  ];
  it.each(forgeries)('401 unauthorized for a sign-in with %s', async (_, forgery) => {
    await expect(redeem({ claims: verified })).resolves.toBeDefined();
    const claims = forgery.userinfo ? forgery.claims : { ...verified, ...forgery.claims };
    await expect(redeem({ ...forgery, claims })).rejects.toThrow(Unauthorized);
  });

  it('401 unauthorized for duplicate callback parameters', async () => {
    const search = new URLSearchParams(`code=a&code=b&state=${attempt.state}`);
    await expect(providerWith().redeem(search, attempt)).rejects.toThrow(Unauthorized);
  });

  it('401 unauthorized for an ID token that is unsigned or is signed with the client secret', async () => {
    issuer.metadata = { id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] };
    const secret = 'a secret: with odd+characters/';
    await expect(redeem({ claims: verified, algorithm: 'HS256', signedBy: secret })).rejects.toThrow(Unauthorized);
    await expect(redeem({ claims: verified, idToken: unsigned })).rejects.toThrow(Unauthorized);
  });
});

describe('503 not_ready for a sign-in', () => {
  it.each([500, 429, 404])('503 not_ready if the provider responds %d', async (status) => {
    await expect(redeem({ status })).rejects.toThrow(IdentityProviderUnavailable);
  });

  it('503 not_ready if the provider sends more than 1 MiB', async () => {
    await expect(redeem({ claims: verified, padding: 2 ** 19 })).resolves.toBeDefined();
    await expect(redeem({ claims: verified, padding: 2 ** 20 })).rejects.toThrow(IdentityProviderUnavailable);
  });

  it('503 not_ready if the provider redirects the browser with a server error', async () => {
    const response = redeem({}, providerWith(), { error: 'temporarily_unavailable' });
    await expect(response).rejects.toThrow(IdentityProviderUnavailable);
  });

  it('503 not_ready if the metadata names another issuer, with a logged reason that contains no secrets', async () => {
    issuer.metadata = { issuer: 'https://evil.example' };
    await expect(providerWith().addressFor(attempt)).rejects.toThrow(IdentityProviderUnavailable);
    expect(warnings.mock.calls.join()).toContain('issuer');
    issuer.metadata = {};
    await expect(redeem({ status: 401 })).rejects.toThrow(IdentityProviderUnavailable);
    expect(warnings.mock.calls.join()).not.toContain('odd');
  });
});

describe('the metadata of the provider', () => {
  it('the service fetches the provider’s metadata once an hour, and again after a failure', async () => {
    const clock = new FixedClock();
    const provider = providerWith({}, clock);
    const fetches = () => issuer.requests.filter(({ path }) => path.startsWith('/.well-known/')).length;
    issuer.requests.length = 0;
    issuer.metadata = { issuer: 'https://evil.example' };
    await expect(provider.addressFor(attempt)).rejects.toThrow(IdentityProviderUnavailable);
    issuer.metadata = {};
    await Promise.all([provider.addressFor(attempt), provider.addressFor(attempt)]);
    await provider.addressFor(attempt);
    expect(fetches()).toBe(2);
    clock.advance(3600);
    await provider.addressFor(attempt);
    expect(fetches()).toBe(3);
  });

  it.each(['1', '2'])(
    'a sign-in succeeds again after one rejection when the provider has replaced its key by one with the id %s',
    async (keyId) => {
      const provider = providerWith();
      issuer.rotateKey('1');
      await redeem({ claims: verified }, provider);
      issuer.rotateKey(keyId);
      await expect(redeem({ claims: verified }, provider)).rejects.toThrow(Unauthorized);
      expect(await redeem({ claims: verified }, provider)).toMatchObject({ subject: 'ada' });
    },
  );

  it('a callback that anyone can send does not make the service fetch the provider’s metadata again', async () => {
    const provider = providerWith();
    await redeem({ claims: verified }, provider);
    issuer.requests.length = 0;
    const { state } = attempt;
    for (const search of ['iss=https://evil.example&code=c', 'code=c&code=d', '', 'code=c&response=jarm']) {
      const callback = new URLSearchParams(`state=${state}&${search}`);
      await expect(provider.redeem(callback, attempt)).rejects.toThrow(Unauthorized);
      await redeem({ claims: verified }, provider);
    }
    const fetched = issuer.requests.map(({ path }) => path).filter((path) => path !== '/token');
    expect(fetched).toEqual([]);
  });

  it('the service does not request metadata if no provider is configured', async () => {
    const off = new IdentityProvider({ baseUrl: 'https://passes.example.com', provider: null }, new FixedClock());
    await expect(off.addressFor(attempt)).rejects.toThrow(OidcIsOff);
  });
});

describe('loading openid-client', () => {
  it('the service loads openid-client when a sign-in begins, not when the package is loaded', async () => {
    const root = join(__dirname, '../../../../..');
    const script = `
      const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('/openid-client/'));
      const { IdentityProvider } = require('${root}/libs/domain/accounts/src/index.ts');
      const before = isLoaded();
      const provider = { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'x' };
      new IdentityProvider({ baseUrl: 'x', provider }, { now: () => new Date() }).addressFor({ codeVerifier: '' })
        .catch(({ code }) => console.log([before, isLoaded(), code].join(' ')));`;
    const sources = ['-r', join(root, 'libs/testing/jest/typescript-sources.cjs')];
    const { stdout } = await promisify(execFile)(process.execPath, [...sources, '-e', script]);
    expect(stdout.trim().split('\n').at(-1)).toBe('false true not_ready');
  });
});
