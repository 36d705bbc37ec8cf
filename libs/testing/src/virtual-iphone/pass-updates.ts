import type { PhoneResponse } from './device-http.js';
import type { PhoneSystem } from './field-rules.js';
import type { WalletPass } from './installed-pass.js';
import { changeMessages, type PassNotification } from './lock-screen.js';
import { failureReason, LogLines } from './log-lines.js';
import { PackageRejected, type PackageTrust, verifyPackage, type VerifiedPackage } from './package-verification.js';
import type { PassKitService } from './passkit-service.js';
import { readUpdatedList, type UpdatedList } from './updated-list.js';
import type { Wallet } from './wallet.js';

/** The result of fetching the latest version of a pass. */
export type FetchOutcome = 'updated' | 'unchanged' | 'failed';

/** The reason why the phone requests the list of changed passes. Only after a push must the list contain a change. */
export type UpdateCause = 'push' | 'registration' | 'retry';

const longestErrors = 1000;
const nothing: UpdatedList = { serialNumbers: [], lastUpdated: undefined };

/**
 * The phone's part of the PassKit web service: the order of its requests, its retries, and the complaints that it logs.
 * @see https://developer.apple.com/documentation/walletpasses/adding-a-web-service-to-update-passes
 */
export class PassUpdates {
  /** Failed steps that wait for a retry, by name. */
  readonly retries = new Map<string, () => Promise<void>>();
  readonly notifications: PassNotification[] = [];
  /** All log lines so far. Each contains its time. */
  readonly logLines: string[] = [];
  private readonly unsentLines = new Map<PassKitService, string[]>();

  constructor(
    private readonly wallet: Wallet,
    private readonly trust: PackageTrust,
    private readonly now: () => Date,
    private readonly system: PhoneSystem,
  ) {}

  /** Registers passes, and then requests the list of changed passes from each of their web services. */
  async registerAll(passes: readonly WalletPass[]): Promise<void> {
    const registered = new Map<PassKitService, WalletPass[]>();
    for (const pass of passes) {
      const service = this.wallet.serviceOf(pass);
      if (!service || !(await this.register(pass, service))) continue;
      registered.set(service, [...(registered.get(service) ?? []), pass]);
    }
    for (const [service, added] of registered) await this.update(service, 'registration', added);
  }

  async unregister(pass: WalletPass): Promise<void> {
    this.retries.delete(`register ${pass.serialNumber}`);
    const service = this.wallet.serviceOf(pass);
    if (!service || !pass.registrationTried) return;
    const { status, error } = await service.unregister(pass.serialNumber, pass.authenticationToken);
    if (status === 200) {
      pass.registered = pass.registrationTried = false;
      return;
    }
    const reason = failureReason(status, error);
    this.complain(service, status, (lines) => lines.registrationFailed('Unregister', pass.serialNumber, reason));
    this.retries.set(`unregister ${pass.serialNumber}`, () => this.unregister(pass));
  }

  /** Requests the list of changed passes and fetches these passes. Stores the new tag only after all of them. */
  async update(service: PassKitService, cause: UpdateCause, added: readonly WalletPass[] = []): Promise<void> {
    const hadTag = service.tag !== null;
    this.retries.delete(listTask(service));
    const list = await this.list(service, cause);
    if (!list) return;
    let complete = true;
    for (const serialNumber of list.serialNumbers) {
      const isNews = hadTag && cause !== 'registration' && !service.dealtWith.has(serialNumber);
      if (await this.fetchListed(service, serialNumber, isNews)) service.dealtWith.add(serialNumber);
      else complete = false;
    }
    if (complete) {
      service.tag = list.lastUpdated ?? service.tag;
      service.dealtWith.clear();
    } else this.retryList(service);
    // The list may omit a newly added pass whose last change is older than the tag.
    const unlisted = hadTag ? added.filter((pass) => !list.serialNumbers.includes(pass.serialNumber)) : [];
    for (const pass of unlisted) await this.fetchUntilSuccess(pass);
  }

  /** Fetches the latest version of a pass unless it is already installed. */
  async fetch(pass: WalletPass, isNews = false): Promise<FetchOutcome> {
    const service = this.wallet.serviceOf(pass);
    if (!service) return 'unchanged';
    const { serialNumber, authenticationToken, lastModified } = pass;
    const response = await service.latestPass(serialNumber, authenticationToken, lastModified);
    this.retries.delete(`fetch ${serialNumber}`);
    if (response.status === 304 && lastModified !== null) {
      if (isNews) this.complain(service, 304, (lines) => lines.unchanged(serialNumber));
      return 'unchanged';
    }
    const latest =
      response.status === 200 ? await this.verify(pass, response) : failureReason(response.status, response.error);
    if (typeof latest !== 'string') return this.install(pass, latest, service, response, isNews);
    this.complain(service, response.status, (lines) => lines.passFailed(serialNumber, lastModified, latest));
    return 'failed';
  }

  /** Sends the collected log lines. Ignores failures, like a real phone. */
  async sendLog(): Promise<void> {
    const unsent = [...this.unsentLines];
    this.unsentLines.clear();
    for (const [service, lines] of unsent) await service.log(lines);
  }

  private async register(pass: WalletPass, service: PassKitService): Promise<boolean> {
    const { serialNumber } = pass;
    this.retries.delete(`unregister ${serialNumber}`);
    pass.registrationTried = true;
    const token = this.wallet.pushToken(pass.passTypeIdentifier);
    const { status, error } = await service.register(serialNumber, pass.authenticationToken, token);
    pass.registered ||= status === 200 || status === 201;
    if (status === 200 || status === 201) return true;
    const reason = failureReason(status, error);
    this.complain(service, status, (lines) => lines.registrationFailed('Register', serialNumber, reason));
    this.retries.set(`register ${serialNumber}`, () => this.registerAll([pass]));
    return false;
  }

  /**
   * Requests the list of changed passes.
   * @returns null after a failure, for which a retry is recorded
   */
  private async list(service: PassKitService, cause: UpdateCause): Promise<UpdatedList | null> {
    const { status, error, body } = await service.listUpdated();
    const list = status === 200 ? readUpdatedList(body) : nothing;
    const failed = status !== 200 && status !== 204;
    if (failed || typeof list === 'string') {
      const reason = typeof list === 'string' ? `Received malformed response: ${list}` : failureReason(status, error);
      this.complain(service, status, (lines) => lines.listFailed(reason));
      this.retryList(service);
      return null;
    }
    const count = list.serialNumbers.length;
    if (count === 0 && cause === 'push') this.complain(service, status, (lines) => lines.spuriousPush());
    if (count > 0 && list.lastUpdated === undefined) this.complain(service, status, (lines) => lines.missingTag(count));
    if (count > 0 && list.lastUpdated !== undefined && list.lastUpdated === service.tag) {
      this.complain(service, status, (lines) => lines.sameTag(count));
    }
    return list;
  }

  /**
   * Fetches a listed pass.
   * @returns false if the phone must fetch it again
   */
  private async fetchListed(service: PassKitService, serialNumber: string, isNews: boolean): Promise<boolean> {
    const pass = this.wallet.passes.get(serialNumber);
    if (!pass?.automaticUpdates || this.wallet.serviceOf(pass) !== service) {
      this.complain(service, 200, (lines) => lines.unregistered(serialNumber));
      return true;
    }
    return (await this.fetch(pass, isNews)) !== 'failed';
  }

  private async fetchUntilSuccess(pass: WalletPass): Promise<void> {
    if ((await this.fetch(pass)) !== 'failed') return;
    this.retries.set(`fetch ${pass.serialNumber}`, () => this.fetchUntilSuccess(pass));
  }

  /**
   * Verifies a package.
   * @returns the package, or the reason why it is not a version of this pass
   */
  private async verify(pass: WalletPass, { body }: PhoneResponse): Promise<VerifiedPackage | string> {
    try {
      const latest = await verifyPackage(body, this.trust);
      const constant = ['passTypeIdentifier', 'serialNumber', 'authenticationToken'] as const;
      const changed = constant.filter((key) => latest.json[key] !== pass.json[key]);
      return changed.length === 0 ? latest : `Received invalid pass data (it has another ${changed.join(' and ')})`;
    } catch (error) {
      if (!(error instanceof PackageRejected)) throw error;
      return `Received invalid pass data (${error.problems.join('; ').slice(0, longestErrors)})`;
    }
  }

  private async install(
    pass: WalletPass,
    latest: VerifiedPackage,
    service: PassKitService,
    { headers }: PhoneResponse,
    isNews: boolean,
  ): Promise<FetchOutcome> {
    const { serialNumber, lastModified: modifiedSince } = pass;
    const lastModified = headers['last-modified'] ?? null;
    const isSame = pass.isSameAs(latest);
    if (lastModified === null) this.complain(service, 200, (lines) => lines.missingLastModified(serialNumber));
    if (isSame && isNews) this.complain(service, 200, (lines) => lines.unchanged(serialNumber));
    if (isSame && modifiedSince !== null) {
      this.complain(service, 200, (lines) => lines.ignoredModifiedSince(serialNumber, modifiedSince));
    }
    const messages = changeMessages(pass.json, latest.json, this.system);
    const { passTypeIdentifier, organizationName } = latest.json;
    const about = { at: this.now(), passTypeIdentifier, serialNumber, title: String(organizationName) };
    this.notifications.push(...messages.map((text) => ({ ...about, text })));
    pass.replace(latest, lastModified);
    const current = this.wallet.serviceOf(pass);
    // The new version may name another web service, with which the phone must register.
    if (current && current !== service && pass.automaticUpdates) await this.register(pass, current);
    return isSame ? 'unchanged' : 'updated';
  }

  private retryList(service: PassKitService): void {
    this.retries.set(listTask(service), () => this.update(service, 'retry'));
  }

  /** Records a complaint, if the service has responded. */
  private complain(service: PassKitService, status: number | null, line: (lines: LogLines) => string): void {
    if (status === null) return;
    const text = line(new LogLines(service, this.now));
    this.logLines.push(text);
    this.unsentLines.set(service, [...(this.unsentLines.get(service) ?? []), text]);
  }
}

function listTask({ passTypeIdentifier, url }: PassKitService): string {
  return `list ${passTypeIdentifier} ${url}`;
}
