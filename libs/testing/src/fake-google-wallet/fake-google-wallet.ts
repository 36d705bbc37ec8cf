import type { TestCertificate } from '../test-certificates.js';
import type { CallbackForgery } from './callback-signing.js';
import type { SentCallback } from './callbacks.js';
import type { ScriptedGoogleError } from './error-script.js';
import { DEFAULT_HOLDER, GoogleBackEnd, type GoogleSwitches } from './google-back-end.js';
import { jwtOf } from './google-hosts.js';
import { type GoogleOnScreen, googleScreen } from './google-screen.js';
import { GoogleServer } from './google-server.js';
import type { ImageFetch } from './image-fetches.js';
import type { OutgoingHttpOptions } from './outgoing-http.js';
import type { GoogleRequest } from './request-log.js';
import type { GoogleBody } from './resource-form.js';
import type { AddedMessage } from './resource-store.js';
import type { GoogleIssuer, SaveOutcome } from './save-page.js';
import type { TestServiceAccount } from './service-accounts.js';

const DEFAULT_REQUESTS_PER_SECOND = 20;
const DEFAULT_ISSUER = '3388000000022012345';

/** The options of `FakeGoogleWallet.start`, all optional. */
export interface FakeGoogleWalletOptions {
  /** Issuers with special settings. The fake creates all others with their first service account. */
  readonly issuers?: readonly GoogleIssuer[];
  /** The initial value of `FakeGoogleWallet.requestsPerSecond`. */
  readonly requestsPerSecond?: number;
  /**
   * True for https with the fake's own certificate (see `ca`), which also covers Google's host names. Or a certificate.
   */
  readonly tls?: boolean | TestCertificate;
  /** Returns the time for checking the validity of passes, callbacks and save links. Default: the system's time. */
  readonly now?: () => Date;
  /**
   * Returns the time for checking tokens and assertions. Default: the system's time, which most OAuth libraries use.
   */
  readonly tokenTime?: () => Date;
  /** Returns a monotonic time in milliseconds, for the quota. Default: the time of the machine. */
  readonly elapsedMs?: () => number;
  /** Redirects image requests and callbacks from public addresses to local ones. */
  readonly route?: OutgoingHttpOptions['route'];
  /** The authority to trust for outgoing requests, as PEM text. Default: the system's authorities. */
  readonly trustedCa?: string;
  /** The pause in milliseconds before the first retry of a callback. It grows with each attempt. Default: 10. */
  readonly callbackRetryMs?: number;
}

/**
 * A fake of Google Wallet on one local port: REST API, token endpoint, save page, root keys and callbacks. Configure
 * your service with its `urls`, or redirect Google's host names to it.
 */
export class FakeGoogleWallet implements GoogleSwitches {
  /** The delay of each response in milliseconds. Changes take effect before it. */
  latencyMs = 0;
  /** If true, unknown properties get status 400. If false, the fake ignores them. */
  rejectUnknownFields = true;
  /** The status of requests above the quota, which Google does not document. */
  rateLimitStatus: 429 | 403 = 429;
  /** The maximum number of API requests within any second. Default: 20, as Google documents. */
  requestsPerSecond: number;
  /** The number of token requests that get 503. */
  tokenFailures = 0;
  /** If true, the fake fetches images at each write. */
  fetchImages = true;
  /** How many times each callback is delivered. 2 produces duplicates. */
  callbackDeliveries = 1;

  private readonly back: GoogleBackEnd;
  private server: GoogleServer | null = null;

  private constructor(private readonly options: FakeGoogleWalletOptions) {
    this.requestsPerSecond = options.requestsPerSecond ?? DEFAULT_REQUESTS_PER_SECOND;
    this.back = new GoogleBackEnd(
      {
        issuers: options.issuers ?? [],
        now: options.now ?? (() => new Date()),
        tokenTime: options.tokenTime ?? (() => new Date()),
        elapsedMs: options.elapsedMs ?? (() => performance.now()),
        callbackRetryMs: options.callbackRetryMs ?? 10,
        route: options.route,
        trustedCa: options.trustedCa,
        origin: () => this.listening.origin,
      },
      this,
    );
  }

  /** Starts on a free port of 127.0.0.1. */
  static async start(options: FakeGoogleWalletOptions = {}): Promise<FakeGoogleWallet> {
    const fake = new FakeGoogleWallet(options);
    fake.server = await GoogleServer.start(options.tls ?? false, (incoming) => fake.back.receive(incoming));
    return fake;
  }

  /**
   * The addresses to use instead of Google's. `api` replaces `https://walletobjects.googleapis.com`. The others are
   * complete addresses.
   */
  get urls(): { readonly api: string; readonly token: string; readonly save: string; readonly keys: string } {
    return this.back.urls;
  }

  /** The authority that issued the server's certificate with `tls: true`, as PEM text; otherwise null. */
  get ca(): string | null {
    return this.listening.ca;
  }

  /** All requests so far, in the order in which they were read. */
  get requests(): readonly GoogleRequest[] {
    return this.back.requests;
  }

  /** The stored classes by id, with enum values in UPPER_SNAKE. UNDER_REVIEW becomes APPROVED. */
  get classes(): ReadonlyMap<string, GoogleBody> {
    return this.back.store.all('class');
  }

  /** The stored objects by id. Their state is EXPIRED once their validity has ended. */
  get objects(): ReadonlyMap<string, GoogleBody> {
    return this.back.store.all('object');
  }

  /** All messages that were added to classes and objects, in order, even if they were removed later. */
  get addedMessages(): readonly AddedMessage[] {
    return this.back.store.added;
  }

  /** Attempts to fetch an image, successful or not. */
  get imageFetches(): readonly ImageFetch[] {
    return this.back.images.log;
  }

  /** Attempts to deliver a callback. */
  get callbacks(): readonly SentCallback[] {
    return this.back.callbacks.log;
  }

  /** Returns a service account of the issuer; the same one for the same issuer and name. */
  serviceAccount(issuerId = this.options.issuers?.[0]?.id ?? DEFAULT_ISSUER, name = 'issuer'): TestServiceAccount {
    return this.back.accounts.get(issuerId, name);
  }

  /** Revokes the account's key. The account gets no more tokens, and its save links become invalid. */
  revokeKey({ clientEmail }: Pick<TestServiceAccount, 'clientEmail'>): void {
    this.back.accounts.revokeKey(clientEmail);
  }

  /** Responds 403 permissionDenied for this issuer until `allowIssuer`. */
  denyIssuer(issuerId: string): void {
    this.back.accounts.setDenied(issuerId, true);
  }

  allowIssuer(issuerId: string): void {
    this.back.accounts.setDenied(issuerId, false);
  }

  /** Scripts an error for the next matching request. Several errors are used in order. */
  next(problem: ScriptedGoogleError): void {
    this.back.script.add(problem);
  }

  /** Drops the connection of the next API requests that store something. Their changes remain. */
  dropAfterStoring(times = 1): void {
    this.back.drops = times;
  }

  /** Expires all tokens issued so far, so that requests with them get 401. */
  expireTokens(): void {
    this.back.tokens.expireAll();
  }

  /**
   * Returns the next completed request that matches, or waits for it. Includes requests without a response. Returns
   * each request only once.
   */
  nextRequest(matches: (request: GoogleRequest) => boolean = () => true): Promise<GoogleRequest> {
    return this.back.handled.next(matches);
  }

  /** Returns the maximum number of API requests within one second. */
  maxRequestsInASecond(): number {
    return this.back.rate.mostInASecond();
  }

  /** Opens a save link, or its JWT, like a holder. Resolves when all callbacks have been accepted or have failed. */
  async save(link: string, user = DEFAULT_HOLDER): Promise<SaveOutcome> {
    const outcome = await this.back.page.open(jwtOf(link), user);
    await this.back.callbacks.settled();
    return outcome;
  }

  /**
   * Removes a pass from a holder's wallet. Resolves when all callbacks have been accepted or have failed.
   * @throws Error if the holder does not have the pass
   */
  async remove(objectId: string, user = DEFAULT_HOLDER): Promise<void> {
    this.back.page.remove(objectId, user);
    await this.back.callbacks.settled();
  }

  /**
   * Returns the part of an object that a holder sees.
   * @param languages the holder's languages as canonical tags, the preferred one first
   * @throws RangeError if there is no such object
   */
  shown(objectId: string, languages: readonly string[] = ['en']): GoogleOnScreen {
    const { store } = this.back;
    const object = store.all('object').get(objectId);
    const [shared, vertical] = [
      store.all('class').get(String(object?.['classId'])),
      store.verticalOf('object', objectId),
    ];
    if (!object || !shared || !vertical) throw new RangeError(`There is no object "${objectId}".`);
    return googleScreen({ vertical, class: shared, object, languages });
  }

  /** Returns the users who have the object in their wallets. */
  holders(objectId: string): readonly string[] {
    return [...this.back.store.holders(objectId)];
  }

  /**
   * Sends a callback without a save or removal. Repeats it until the receiver accepts it, unless it is forged.
   * @param to the receiver. Default: the address in the class
   * @throws RangeError without a receiver
   */
  async sendCallback(
    eventType: 'save' | 'del',
    objectId: string,
    { forgery, to }: { readonly forgery?: CallbackForgery; readonly to?: string } = {},
  ): Promise<SentCallback> {
    const { classId, issuerId, url } = this.back.page.callbackOf(objectId);
    const address = to ?? url;
    if (!address) throw new RangeError(`The class of "${objectId}" has no callbackOptions.url; pass \`to\`.`);
    return this.back.callbacks.deliver({ url: address, issuerId, classId, objectId, eventType }, 1, forgery);
  }

  /** Sends the same bytes of a callback once more. */
  repeatCallback(callback: SentCallback): Promise<SentCallback> {
    return this.back.callbacks.repeat(callback);
  }

  /** Waits until all callbacks have been accepted or have failed. */
  callbacksSettled(): Promise<void> {
    return this.back.callbacks.settled();
  }

  /** Signs later callbacks with new keys. */
  rotateRootKeys(): void {
    this.back.callbacks.signing.rotate();
  }

  /** Clears all scripted errors and resets all switches. Stored resources remain. */
  reset(): void {
    this.back.script.clear();
    this.back.drops = 0;
    this.latencyMs = 0;
    this.tokenFailures = 0;
    this.rejectUnknownFields = true;
    this.rateLimitStatus = 429;
    this.requestsPerSecond = this.options.requestsPerSecond ?? DEFAULT_REQUESTS_PER_SECOND;
    this.fetchImages = true;
    this.callbackDeliveries = 1;
  }

  /** Deletes all classes, objects, holders and records, which Google never does. */
  clear(): void {
    this.back.store.clear();
    this.back.rate.clear();
    this.back.handled.clear();
    for (const log of [this.back.requests, this.back.images.log, this.back.callbacks.log]) log.length = 0;
  }

  /** Ends every connection and stops listening. */
  async stop(): Promise<void> {
    this.back.http.stop();
    await this.server?.stop();
  }

  private get listening(): GoogleServer {
    if (!this.server) throw new RangeError('The stand-in has not been started.');
    return this.server;
  }
}
