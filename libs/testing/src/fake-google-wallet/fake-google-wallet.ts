import type { TestCertificate } from '../test-certificates.js';
import type { CallbackForgery } from './callback-signing.js';
import type { SentCallback } from './callbacks.js';
import type { ScriptedGoogleFault } from './fault-script.js';
import { DEFAULT_HOLDER, GoogleBackEnd, type GoogleSwitches } from './google-back-end.js';
import { jwtOf } from './google-hosts.js';
import { GoogleServer } from './google-server.js';
import type { ImageFetch } from './image-fetches.js';
import type { OutgoingHttpOptions } from './outgoing-http.js';
import type { GoogleRequest } from './request-log.js';
import type { GoogleBody } from './resource-form.js';
import type { GoogleIssuer, SaveOutcome } from './save-page.js';
import type { TestServiceAccount } from './service-accounts.js';

const DEFAULT_REQUESTS_PER_SECOND = 20;
const DEFAULT_ISSUER = '3388000000022012345';

/** What `FakeGoogleWallet.start` takes; all of it may be left out. */
export interface FakeGoogleWalletOptions {
  /** Those that are to be special; any other comes into being with its first service account. */
  readonly issuers?: readonly GoogleIssuer[];
  /** See `FakeGoogleWallet.requestsPerSecond`. */
  readonly requestsPerSecond?: number;
  /** True: https with a certificate of its own (see `ca`), also for Google's names. Or a certificate to show. */
  readonly tls?: boolean | TestCertificate;
  /** The time by which passes expire, and callbacks and save links are judged; the system's when left out. */
  readonly now?: () => Date;
  /** The time of tokens and assertions: the system's when left out, as OAuth libraries go by that one. */
  readonly tokenTime?: () => Date;
  /** A monotonous clock in milliseconds, for the quota; the machine's when left out. */
  readonly elapsedMs?: () => number;
  /** Where to fetch pictures from and deliver callbacks to, instead of the public addresses that they name. */
  readonly route?: OutgoingHttpOptions['route'];
  /** PEM text of the authority to trust when fetching and delivering; the system's when left out. */
  readonly trustedCa?: string;
  /** Pause before a callback is delivered again, growing with each attempt; 10 ms when left out. */
  readonly callbackRetryMs?: number;
}

/**
 * Google Wallet, as far as an issuer's service can tell: REST API, token endpoint, save page, root keys and callbacks on
 * one port of this machine. Configure a service with its `urls`, or send Google's host names here.
 */
export class FakeGoogleWallet implements GoogleSwitches {
  /** Lets each answer wait for so long, after what it tells of has happened. */
  latencyMs = 0;
  /** Whether properties that Google does not know are answered 400, or dropped in silence. */
  rejectUnknownFields = true;
  /** What a request above the quota is answered: it is not published which of the two. */
  rateLimitStatus: 429 | 403 = 429;
  /** API requests let through in any second: 20 when nothing else was told, as Google documents. */
  requestsPerSecond: number;
  /** So many of the next token requests are answered 503. */
  tokenFailures = 0;
  /** Whether pictures are fetched at each write. */
  fetchImages = true;
  /** How often each callback is delivered: 2 makes duplicates of all. */
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

  /** Listens on a free port of 127.0.0.1. */
  static async start(options: FakeGoogleWalletOptions = {}): Promise<FakeGoogleWallet> {
    const fake = new FakeGoogleWallet(options);
    fake.server = await GoogleServer.start(options.tls ?? false, (incoming) => fake.back.receive(incoming));
    return fake;
  }

  /** What stands for `https://walletobjects.googleapis.com`, and for Google's full addresses of the other three. */
  get urls(): { readonly api: string; readonly token: string; readonly save: string; readonly keys: string } {
    return this.back.urls;
  }

  /** PEM text of the authority that issued the server's own certificate, with `tls: true`; else null. */
  get ca(): string | null {
    return this.listening.ca;
  }

  /** All requests so far, in the order in which they were read. */
  get requests(): readonly GoogleRequest[] {
    return this.back.requests;
  }

  /** Classes by id, as they were written: enum values in UPPER_SNAKE, APPROVED once they were UNDER_REVIEW. */
  get classes(): ReadonlyMap<string, GoogleBody> {
    return this.back.store.all('class');
  }

  /** Objects by id, as they were written; EXPIRED once their validity has ended. */
  get objects(): ReadonlyMap<string, GoogleBody> {
    return this.back.store.all('object');
  }

  /** Pictures that were fetched, or could not be. */
  get imageFetches(): readonly ImageFetch[] {
    return this.back.images.log;
  }

  /** Each attempt to deliver a callback. */
  get callbacks(): readonly SentCallback[] {
    return this.back.callbacks.log;
  }

  /** A service account that is user of the issuer; the same at each call with the same issuer and name. */
  serviceAccount(issuerId = this.options.issuers?.[0]?.id ?? DEFAULT_ISSUER, name = 'issuer'): TestServiceAccount {
    return this.back.accounts.get(issuerId, name);
  }

  /** Deletes its key: no token for it any more, and its save links are worth nothing. */
  revokeKey({ clientEmail }: Pick<TestServiceAccount, 'clientEmail'>): void {
    this.back.accounts.revokeKey(clientEmail);
  }

  /** Answers 403 permissionDenied for this issuer, until `allowIssuer`. */
  denyIssuer(issuerId: string): void {
    this.back.accounts.setDenied(issuerId, true);
  }

  allowIssuer(issuerId: string): void {
    this.back.accounts.setDenied(issuerId, false);
  }

  /** Answers this instead of doing what is asked, in the order in which faults are told. */
  next(fault: ScriptedGoogleFault): void {
    this.back.script.add(fault);
  }

  /** Cuts the connection of the next so many API requests that store something, once it is stored. */
  dropAfterStoring(times = 1): void {
    this.back.drops = times;
  }

  /** Tokens given so far are answered 401 from now on. */
  expireTokens(): void {
    this.back.tokens.expireAll();
  }

  /** The next request that was answered (or cut, or left hanging) and matches; each is handed out once. */
  nextRequest(matches: (request: GoogleRequest) => boolean = () => true): Promise<GoogleRequest> {
    return this.back.answered.next(matches);
  }

  /** The most API requests that came within any one second. */
  maxRequestsInASecond(): number {
    return this.back.rate.mostInASecond();
  }

  /** A holder opens a save link, or its JWT; resolves when the callbacks have been taken, or given up. */
  async save(link: string, user = DEFAULT_HOLDER): Promise<SaveOutcome> {
    const outcome = await this.back.page.open(jwtOf(link), user);
    await this.back.callbacks.settled();
    return outcome;
  }

  /** A holder takes a pass out of the wallet; resolves as `save` does. @throws Error when it is not in there */
  async remove(objectId: string, user = DEFAULT_HOLDER): Promise<void> {
    this.back.page.remove(objectId, user);
    await this.back.callbacks.settled();
  }

  /** Who has the object in a wallet. */
  holders(objectId: string): readonly string[] {
    return [...this.back.store.holders(objectId)];
  }

  /**
   * Sends a callback though nothing has happened: a forged one once, another until it is taken.
   * @param to where to, when not to the class's address. @throws RangeError when there is no address
   */
  async sendCallback(
    eventType: 'save' | 'del',
    objectId: string,
    { forgery, to }: { readonly forgery?: CallbackForgery; readonly to?: string } = {},
  ): Promise<SentCallback> {
    const { classId, issuerId, url } = this.back.page.callbackOf(objectId);
    const address = to ?? url;
    if (!address) throw new RangeError(`The class of "${objectId}" has no callbackOptions.url; tell where to.`);
    return this.back.callbacks.deliver({ url: address, issuerId, classId, objectId, eventType }, 1, forgery);
  }

  /** Sends exactly the same bytes once more. */
  repeatCallback(callback: SentCallback): Promise<SentCallback> {
    return this.back.callbacks.repeat(callback);
  }

  /** Waits until every callback has been taken, or given up. */
  callbacksSettled(): Promise<void> {
    return this.back.callbacks.settled();
  }

  /** Signs callbacks with other keys from now on. */
  rotateRootKeys(): void {
    this.back.callbacks.signing.rotate();
  }

  /** Forgets every fault that was told, and all switches; what is stored stays. */
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

  /** Forgets classes, objects, holders and what was recorded, as Google never does. */
  clear(): void {
    this.back.store.clear();
    this.back.rate.clear();
    this.back.answered.clear();
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
