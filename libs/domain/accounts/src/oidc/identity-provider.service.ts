import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, emailForm, Unauthorized, withoutSlot } from '@passwright/core';
import type {
  ClientAuth,
  Configuration,
  CustomFetch,
  IDToken,
  TokenEndpointResponse,
  UserInfoResponse,
} from 'openid-client';
import { boundedFetch } from './bounded-fetch.js';
import { OidcIsOff } from './oidc.errors.js';
import { OidcOptions, type OidcProviderOptions } from './oidc.options.js';
import { mayNeedNewKeys, providerError, signInError } from './provider-errors.js';
import type { SignInAttempt } from './sign-in-attempts.service.js';

const TIMEOUT_SECONDS = 10;
const METADATA_TTL_MS = 3_600_000;

/** The identity of a signed-in person, as the provider has proved it. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider says that it is verified. */
  readonly email: string | null;
  /** Null if the provider sends no name that can be displayed. */
  readonly name: string | null;
}

/**
 * Signs users in at the provider, by the authorization code flow of OpenID Connect Core 1.0 with PKCE. Fetches the
 * provider's metadata at first use, and again after an hour. Loads openid-client, which verifies all signatures, only
 * at first use.
 */
@Injectable()
export class IdentityProvider {
  private known: { readonly configuration: Promise<Configuration>; readonly until: number } | null = null;

  constructor(
    private readonly options: OidcOptions,
    private readonly clock: Clock,
  ) {}

  /** @throws OidcIsOff */
  get settings(): OidcProviderOptions {
    if (!this.options.provider) throw new OidcIsOff();
    return this.options.provider;
  }

  /** @throws OidcIsOff */
  requireOn(): void {
    void this.settings;
  }

  /**
   * Returns the URL to which the browser goes to sign in.
   * @throws OidcIsOff.
   * @throws IdentityProviderUnavailable
   */
  async addressFor({ state, nonce, codeVerifier }: SignInAttempt): Promise<string> {
    const configuration = await withoutSlot(() => this.configuration());
    const { buildAuthorizationUrl } = await import('openid-client');
    const address = buildAuthorizationUrl(configuration, {
      redirect_uri: this.callbackUrl,
      scope: this.settings.scopes,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return address.href;
  }

  /**
   * Exchanges the code of a callback for an identity. Sends the attempt's code verifier, and checks the ID token's
   * signature, issuer, audience, times and nonce.
   * @param search the query of the callback
   * @throws Unauthorized if the callback proves nothing or reports a rejection. @throws IdentityProviderUnavailable
   */
  redeem(search: URLSearchParams, attempt: SignInAttempt): Promise<ProvenIdentity> {
    return withoutSlot(() => this.exchange(search, attempt));
  }

  private get callbackUrl(): string {
    return `${this.options.baseUrl}/v1/auth/oidc/callback`;
  }

  private async exchange(search: URLSearchParams, attempt: SignInAttempt): Promise<ProvenIdentity> {
    const fetched = this.configuration();
    const configuration = await fetched;
    const { authorizationCodeGrant } = await import('openid-client');
    try {
      const tokens = await authorizationCodeGrant(configuration, new URL(`${this.callbackUrl}?${search.toString()}`), {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.codeVerifier,
        idTokenExpected: true,
      });
      return await this.identityOf(configuration, tokens);
    } catch (error) {
      // The next sign-in fetches the keys again. The library would use its former keys for minutes.
      if (mayNeedNewKeys(error) && this.known?.configuration === fetched) this.known = null;
      throw signInError(error);
    }
  }

  private async identityOf(
    configuration: Configuration,
    { access_token, claims }: TokenEndpointResponse & { claims(): IDToken | undefined },
  ): Promise<ProvenIdentity> {
    const token = claims();
    if (!token || !/^[\x21-\x7e]{1,255}$/.test(token.sub)) {
      throw new Unauthorized('The identity provider names no subject of 1 to 255 visible characters.');
    }
    const about = await this.claimsAbout(configuration, token, access_token);
    return { issuer: token.iss, subject: token.sub, email: verifiedEmail(about), name: shownName(about.name) };
  }

  /**
   * Returns the claims of the ID token and of the userinfo endpoint, because many providers send the e-mail only in the
   * latter.
   */
  private async claimsAbout(configuration: Configuration, token: IDToken, accessToken: string): Promise<Claims> {
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
    const tellsEmail = token.email !== undefined && token.email_verified !== undefined;
    if (tellsEmail || !endpoint) return token;
    const { fetchUserInfo } = await import('openid-client');
    return fetchUserInfo(configuration, accessToken, token.sub);
  }

  private configuration(): Promise<Configuration> {
    const now = this.clock.now().getTime();
    if (!this.known || this.known.until <= now) {
      const known = { configuration: discover(this.settings), until: now + METADATA_TTL_MS };
      this.known = known;
      // Forget a failure, so that the next caller fetches the metadata again.
      known.configuration.catch(() => {
        if (this.known === known) this.known = null;
      });
    }
    return this.known.configuration;
  }
}

type Claims = IDToken | UserInfoResponse;

async function discover(settings: OidcProviderOptions): Promise<Configuration> {
  const openId = await import('openid-client');
  const server = new URL(settings.issuer);
  // Without the second option, the library would accept a token from the provider without checking its signature.
  const execute = [
    ...(server.protocol === 'http:' ? [openId.allowInsecureRequests] : []),
    openId.enableNonRepudiationChecks,
  ];
  const options = { execute, timeout: TIMEOUT_SECONDS, [openId.customFetch]: boundedFetch as CustomFetch };
  try {
    return await openId.discovery(server, settings.clientId, {}, clientAuthentication(settings, openId), options);
  } catch (error) {
    throw providerError(error);
  }
}

function clientAuthentication(
  { clientSecret, clientAuthentication: way }: OidcProviderOptions,
  { ClientSecretBasic, ClientSecretPost }: typeof import('openid-client'),
): ClientAuth {
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    // The default is `client_secret_basic` (OpenID Connect Discovery 1.0 §3).
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isBasic = way === 'auto' ? taken.includes('client_secret_basic') : way === 'basic';
    return (isBasic ? basic : post)(server, ...rest);
  };
}

/** Returns the e-mail if it is verified. Also accepts the flag as text, which some providers send. */
function verifiedEmail({ email, email_verified: verified }: Claims): string | null {
  const isVerified = verified === true || (verified as unknown) === 'true';
  return isVerified && typeof email === 'string' && email.length <= 254 && emailForm.test(email) ? email : null;
}

function shownName(name: unknown): string | null {
  // Replace line breaks, NUL and other control characters, which a provider may allow in names.
  const shown = typeof name === 'string' ? name.replace(/\p{C}/gu, ' ').trim() : '';
  return shown === '' ? null : [...shown].slice(0, 200).join('');
}
