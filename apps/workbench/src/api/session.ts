import { Passwright, PasswrightError, type TokensResponse } from '@passwright/client';
import { Store } from '../model/store.js';

/** The credential of the page. An API key has no user. */
type Credential =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'user'; readonly tokens: TokensResponse; readonly expiresAt: number };

/** The state of the sign-in, as the page shows it. */
export type SignIn =
  | { readonly kind: 'out'; readonly message: string | null }
  | { readonly kind: 'key'; readonly isTest: boolean }
  | { readonly kind: 'user'; readonly accountId: string };

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How long before its expiry the session refreshes the access token. */
const MARGIN_MS = 30_000;
const STORED = 'passwright-refresh-token';
const ENDED = 'Your session has ended. Sign in again.';

/**
 * Signs in and keeps the credential in memory. During a reload, the refresh token is in the tab's session storage,
 * because the API has no cookies.
 */
export class Session {
  readonly state = new Store<SignIn>({ kind: 'out', message: null });
  /** The API with the credential of the session. */
  readonly api: Passwright;
  private readonly open: Passwright;
  private credential: Credential | null = null;
  private refreshing: Promise<void> | null = null;

  constructor(
    readonly baseUrl: string,
    private readonly send: Fetch,
  ) {
    this.api = new Passwright({ baseUrl, token: () => this.token(), fetch: (url, init) => this.authorised(url, init) });
    this.open = new Passwright({ baseUrl, fetch: send });
  }

  async signIn(email: string, password: string): Promise<void> {
    this.use(await this.open.login({ body: { email, password } }));
  }

  async register(body: { email: string; password: string; name: string; accountName: string }): Promise<void> {
    this.use(await this.open.register({ body }));
  }

  /** Completes a sign-in at the identity provider. */
  async redeem(code: string): Promise<void> {
    this.use(await this.open.redeemSignInCode({ body: { code } }));
  }

  /**
   * Uses an API key, which stays only in memory.
   * @throws PasswrightError if the service rejects it
   */
  async useKey(key: string): Promise<void> {
    this.credential = { kind: 'key', key };
    try {
      // A key without this scope gets a 403, which proves that the key is valid.
      await this.api.listTemplates({ limit: 1 });
    } catch (error) {
      if (!(error instanceof PasswrightError) || error.statusCode !== 403) {
        this.credential = null;
        throw error;
      }
    }
    this.state.set({ kind: 'key', isTest: key.startsWith('pw_test_') });
  }

  async switchTo(accountId: string): Promise<void> {
    const { tokens } = this.userCredential();
    this.use(await this.api.switchAccount({ body: { accountId } }));
    // End the previous session, because switching has opened a new one.
    await this.open.logout({ body: { refreshToken: tokens.refreshToken } });
  }

  /** Creates another account of the user, and opens it. */
  async createAccount(body: { name: string; test?: boolean }): Promise<void> {
    const { tokens } = this.userCredential();
    this.use(await this.api.createAccount({ body }));
    await this.open.logout({ body: { refreshToken: tokens.refreshToken } });
  }

  async signOut(): Promise<void> {
    const { credential } = this;
    this.end(null);
    if (credential?.kind === 'user') {
      await this.open.logout({ body: { refreshToken: credential.tokens.refreshToken } }).catch(() => undefined);
    }
  }

  /** Continues the session of this tab after a reload. */
  async resume(storage: Storage): Promise<void> {
    const refreshToken = storage.getItem(STORED);
    storage.removeItem(STORED);
    if (!refreshToken) return;
    try {
      this.use(await this.open.refreshTokens({ body: { refreshToken } }));
    } catch {
      this.end(ENDED);
    }
  }

  /** Stores the refresh token for the next page of this tab. */
  leave(storage: Storage): void {
    if (this.credential?.kind === 'user') storage.setItem(STORED, this.credential.tokens.refreshToken);
  }

  /** Removes the refresh token from the storage when the browser shows this page again. */
  comeBack(storage: Storage): void {
    storage.removeItem(STORED);
  }

  /**
   * Sends a request for which the client has no method.
   * @throws PasswrightError
   */
  async request<Body>(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Body> {
    const response = await this.authorised(`${this.baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${await this.token()}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Body;
    const { code, message, statusCode } = JSON.parse(text) as { code: string; message: string; statusCode: number };
    throw new PasswrightError(message, { code, statusCode, requestId: response.headers.get('X-Request-Id') });
  }

  private async authorised(url: string, init: RequestInit): Promise<Response> {
    const response = await this.send(url, init);
    if (response.status === 401 && this.state.get().kind !== 'out') this.end(ENDED);
    return response;
  }

  private async token(): Promise<string> {
    if (this.credential?.kind === 'user' && this.credential.expiresAt - Date.now() < MARGIN_MS) await this.refreshed();
    const { credential } = this;
    if (!credential) return '';
    return credential.kind === 'key' ? credential.key : credential.tokens.accessToken;
  }

  /** Refreshes the tokens once for all waiting requests, because a refresh token works once. */
  private refreshed(): Promise<void> {
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  private async refresh(): Promise<void> {
    const { refreshToken } = this.userCredential().tokens;
    try {
      this.use(await this.open.refreshTokens({ body: { refreshToken } }));
    } catch (error) {
      if (error instanceof PasswrightError && error.statusCode === 401) this.end(ENDED);
      throw error;
    }
  }

  private use(tokens: TokensResponse): void {
    this.credential = { kind: 'user', tokens, expiresAt: Date.now() + tokens.expiresIn * 1000 };
    const state = this.state.get();
    if (state.kind === 'user' && state.accountId === tokens.accountId) return;
    this.state.set({ kind: 'user', accountId: tokens.accountId });
  }

  private end(message: string | null): void {
    this.credential = null;
    this.state.set({ kind: 'out', message });
  }

  private userCredential(): Credential & { kind: 'user' } {
    if (this.credential?.kind !== 'user') throw new Error('No user is signed in.');
    return this.credential;
  }
}
