import type { IncomingMessage } from 'node:http';
import { Inbox } from '../fake-apns-script.js';
import { Callbacks } from './callbacks.js';
import { ErrorScript, type ScriptedGoogleError } from './error-script.js';
import { bodyOf, jwtOf, requestOf, serviceOf } from './google-hosts.js';
import { GoogleRejection, type GoogleReply } from './google-rejection.js';
import { ImageFetches } from './image-fetches.js';
import { OutgoingHttp, type OutgoingHttpOptions } from './outgoing-http.js';
import { type GoogleRequest, RequestRate } from './request-log.js';
import { ResourceStore } from './resource-store.js';
import { RestApi } from './rest-api.js';
import { SaveLinks } from './save-links.js';
import { type GoogleIssuer, SavePage, savePageHtml } from './save-page.js';
import { ServiceAccounts, type TestServiceAccount } from './service-accounts.js';
import { TokenEndpoint } from './token-endpoint.js';

/** The user who opens a link or removes a pass, unless the test names another. */
export const DEFAULT_HOLDER = 'holder@example.com';

/** The switches that a test can change at any time. */
export interface GoogleSwitches {
  latencyMs: number;
  rejectUnknownFields: boolean;
  rateLimitStatus: 429 | 403;
  requestsPerSecond: number;
  tokenFailures: number;
  fetchImages: boolean;
  callbackDeliveries: number;
}

/** The options of `FakeGoogleWalletOptions` with defaults filled in. */
export interface GoogleBackEndOptions extends OutgoingHttpOptions {
  readonly issuers: readonly GoogleIssuer[];
  readonly now: () => Date;
  readonly tokenTime: () => Date;
  readonly elapsedMs: () => number;
  readonly callbackRetryMs: number;
  readonly origin: () => string;
}

/** All parts of the fake except its server. Passes each request to its part. */
export class GoogleBackEnd {
  readonly requests: GoogleRequest[] = [];
  readonly handled = new Inbox<GoogleRequest>();
  readonly script = new ErrorScript();
  readonly accounts = new ServiceAccounts(() => this.urls.token);
  readonly http: OutgoingHttp;
  readonly images: ImageFetches;
  readonly store: ResourceStore;
  readonly tokens: TokenEndpoint;
  readonly page: SavePage;
  readonly callbacks: Callbacks;
  readonly rate: RequestRate;
  /** The number of connections to drop. */
  drops = 0;
  private readonly api: RestApi;

  constructor(
    private readonly options: GoogleBackEndOptions,
    private readonly switches: GoogleSwitches,
  ) {
    const { now, elapsedMs } = options;
    this.http = new OutgoingHttp(options);
    this.images = new ImageFetches(this.http, now);
    this.store = new ResourceStore(now, () => switches.rejectUnknownFields);
    this.tokens = new TokenEndpoint(this.accounts, () => this.urls.token, options.tokenTime);
    this.callbacks = new Callbacks(this.http, now, options.callbackRetryMs);
    this.rate = new RequestRate(elapsedMs);
    const { store, images, accounts, callbacks } = this;
    const links = new SaveLinks(accounts, store, images, now);
    const fetchImages = () => switches.fetchImages;
    const deliveries = () => switches.callbackDeliveries;
    const issuer = (id: string) => options.issuers.find((each) => each.id === id);
    const issuerName = (id: string) => issuer(id)?.name ?? `Issuer ${id}`;
    this.api = new RestApi({ store, links, images, accounts, fetchImages, saveUrl: () => this.urls.save, issuerName });
    this.page = new SavePage({ store, links, callbacks, fetchImages, deliveries, issuer });
  }

  get urls() {
    const api = this.options.origin();
    return { api, token: `${api}/token`, save: `${api}/gp/v/save`, keys: `${api}/gp/m/issuer/keys` };
  }

  /**
   * Handles a request.
   * @returns the response, as `GoogleHandler` defines it
   */
  async receive(incoming: IncomingMessage): Promise<GoogleReply | 'cut' | null> {
    const service = serviceOf(incoming);
    if (!service) return new GoogleRejection(404, 'notFound', `There is nothing at ${incoming.url}.`).reply();
    const admitted = service !== 'api' || this.rate.admits(this.switches.requestsPerSecond);
    const body = await bodyOf(incoming);
    const request = requestOf(incoming, service, body ?? '', this.options.now());
    this.requests.push(request);
    const reply = await this.replyTo(request, body, admitted, incoming.headers.authorization).catch(
      (error: unknown) => {
        if (!(error instanceof GoogleRejection)) throw error;
        request.reason = error.reason;
        return error.reply();
      },
    );
    if (this.switches.latencyMs > 0)
      await new Promise((resolve) => setTimeout(resolve, this.switches.latencyMs).unref());
    const cut = reply?.stored && this.drops > 0;
    if (cut) this.drops--;
    request.status = cut ? null : (reply?.status ?? null);
    this.handled.put(request);
    return cut ? 'cut' : reply;
  }

  /**
   * Returns the reply, or null if there is no response.
   * @throws GoogleRejection
   */
  private async replyTo(
    request: GoogleRequest,
    body: string | null,
    admitted: boolean,
    authorization: string | undefined,
  ): Promise<GoogleReply | null> {
    const { service, method, path } = request;
    const problem = this.script.next(request);
    if (problem) return errorReply(problem, request);
    if (service === 'token' && this.switches.tokenFailures > 0) {
      this.switches.tokenFailures--;
      return { status: 503, body: { error: 'temporarily_unavailable' } };
    }
    if (body === null) throw new GoogleRejection(413, 'uploadTooLarge', 'The body has more than 1 MiB.');
    const url = new URL(path, this.urls.api);
    if (service === 'api') {
      const account = this.authorized(admitted, authorization);
      return this.api.reply({ method, url, body: request.body, account });
    }
    if (method !== (service === 'token' ? 'POST' : 'GET'))
      throw new GoogleRejection(405, 'methodNotAllowed', 'Not so.');
    if (service === 'token') return this.tokens.grant(body);
    if (service === 'keys') return { status: 200, body: this.callbacks.signing.rootKeys() };
    const outcome = await this.page.open(jwtOf(path), url.searchParams.get('user') ?? DEFAULT_HOLDER);
    request.reason = outcome.reason;
    return { status: outcome.status, body: savePageHtml(outcome) };
  }

  private authorized(admitted: boolean, authorization: string | undefined): TestServiceAccount {
    if (!admitted)
      throw new GoogleRejection(
        this.switches.rateLimitStatus,
        'rateLimitExceeded',
        'More requests in a second than the quota.',
      );
    const account = this.tokens.holder(authorization);
    if (!account) throw new GoogleRejection(401, 'authError', 'Request had invalid authentication credentials.');
    return account;
  }
}

function errorReply(problem: ScriptedGoogleError, request: GoogleRequest): GoogleReply | null {
  const { status, reason = 'backendError', message = 'As the test told.', retryAfter } = problem;
  if (status === null) return null;
  request.reason = reason;
  const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) };
  if (request.service === 'token') return { status, body: { error: reason, error_description: message }, headers };
  return new GoogleRejection(status, reason, message).reply(headers);
}
