import { X509Certificate } from 'node:crypto';
import { DeviceHttp, type DeviceHttpOptions, type PhoneRequest } from './device-http.js';
import type { PhoneSystem } from './field-rules.js';
import { type InstalledPass, WalletPass } from './installed-pass.js';
import type { PassNotification } from './lock-screen.js';
import { verifyBundle } from './pass-bundle.js';
import { type FetchOutcome, PassUpdates } from './pass-updates.js';
import { type PackageTrust, verifyPackage, type VerifiedPackage } from './package-verification.js';
import type { PassKitService } from './passkit-service.js';
import { type PassOnScreen, screenOf } from '../phone-screen.js';
import { Wallet } from './wallet.js';

/** The options of `VirtualIPhone.create`, all optional. */
export interface VirtualIPhoneOptions {
  /** The root certificates for packages, as PEM text. If empty, a package may have any certificate chain. */
  readonly roots?: readonly string[];
  /**
   * Returns the time for records and log lines. Default: the system's time. Packages are checked at their signing time.
   */
  readonly now?: () => Date;
  /** The authorities for the https certificates of web services, as PEM text. They replace the system's authorities. */
  readonly ca?: readonly string[];
  /**
   * Redirects requests to another address, with the same path and query. Needed if the service has another address than
   * its passes name.
   */
  readonly route?: DeviceHttpOptions['route'];
  /** If true, allows http, like the developer setting «Allow HTTP Services» of a phone. Default: true. */
  readonly allowHttp?: boolean;
  /** The time limit for a whole response in seconds. Default: 30. */
  readonly timeoutSeconds?: number;
  readonly userAgent?: string;
  /**
   * The system of the phone, which determines what it can draw. `ios26` also represents earlier systems. Default:
   * `ios27`.
   */
  readonly system?: PhoneSystem;
}

/** Options for adding a pass. */
export interface AddOptions {
  /** If false, adds the pass without a registration, as if the owner had turned updates off. */
  readonly automaticUpdates?: boolean;
  /** The header `Last-Modified` of the download, which the phone sends with its first request. */
  readonly lastModified?: string | null;
}

const passd = 'passd/1.0 CFNetwork/1568.200.51 Darwin/24.1.0';

/**
 * A simulated iPhone, for tests of a PassKit web service. It verifies packages, registers, receives pushes, fetches
 * changes, shows lock-screen lines, and sends complaints. It runs one task at a time and has no timers: failed steps
 * wait for `retryFailed()`. Call `close()` at the end.
 * @see https://developer.apple.com/documentation/walletpasses/adding-a-web-service-to-update-passes
 */
export class VirtualIPhone {
  private readonly http: DeviceHttp;
  private readonly wallet: Wallet;
  private readonly updates: PassUpdates;
  private lastTask: Promise<unknown> = Promise.resolve();
  private readonly waitingPushes = new Map<string, Promise<PassNotification[]>>();

  private constructor(
    private readonly trust: PackageTrust,
    private readonly system: PhoneSystem,
    options: DeviceHttpOptions,
  ) {
    this.http = new DeviceHttp(options);
    this.wallet = new Wallet(this.http);
    this.updates = new PassUpdates(this.wallet, trust, options.now, system);
  }

  /** Creates a phone. @throws Error if a root is not a PEM certificate */
  static create(options: VirtualIPhoneOptions = {}): VirtualIPhone {
    const { roots = [], allowHttp = true, now = () => new Date(), timeoutSeconds = 30, userAgent = passd } = options;
    const trust = { roots: roots.map((pem) => new X509Certificate(pem)), allowHttp };
    const { system = 'ios27' } = options;
    return new VirtualIPhone(trust, system, { now, userAgent, timeoutSeconds, ca: options.ca, route: options.route });
  }

  /** The passes in the wallet by serial number. */
  get passes(): ReadonlyMap<string, InstalledPass> {
    return this.wallet.passes;
  }

  /**
   * Returns what the phone shows of a pass.
   * @param languages the phone's languages as canonical tags, the preferred one first
   * @throws Error if the pass is not in the wallet
   */
  screen(serialNumber: string, languages: readonly string[] = ['en']): PassOnScreen {
    return screenOf(this.wallet.get(serialNumber), languages, this.system);
  }

  /** Every request so far, in order, including those that send log lines. */
  get requests(): readonly PhoneRequest[] {
    return this.http.requests;
  }

  /** The lock-screen lines so far. */
  get notifications(): readonly PassNotification[] {
    return this.updates.notifications;
  }

  /** The log lines so far, including those that no service has accepted. */
  get logLines(): readonly string[] {
    return this.updates.logLines;
  }

  /** The failed steps that wait for `retryFailed()`, such as `register <serial number>`. */
  get failed(): readonly string[] {
    return [...this.updates.retries.keys()];
  }

  /** The phone's push tokens by pass type identifier: 64 hexadecimal digits. */
  get tokens(): ReadonlyMap<string, string> {
    return this.wallet.tokens;
  }

  /** Returns the phone's device library identifier for a pass's web service; undefined if the pass has none. */
  deviceLibraryIdentifier(serialNumber: string): string | undefined {
    return this.wallet.serviceOf(this.wallet.get(serialNumber))?.deviceLibraryIdentifier;
  }

  /**
   * Adds a pass as if its owner had tapped «Add». Replaces an installed pass with the same serial number. Then
   * registers the pass and requests changes. Does not fail if the web service fails: see `failed`.
   * @throws PackageRejected with every error of the package
   */
  add(pkpass: Uint8Array, options: AddOptions = {}): Promise<InstalledPass> {
    return this.inTurn(async () => {
      const pass = this.put(await verifyPackage(pkpass, this.trust), options);
      await this.registerNew([pass]);
      return pass;
    });
  }

  /**
   * Adds all passes of a `.pkpasses` bundle, or none if one is invalid.
   * @throws PackageRejected with every error
   */
  addBundle(pkpasses: Uint8Array, options: AddOptions = {}): Promise<InstalledPass[]> {
    return this.inTurn(async () => {
      const packages = await verifyBundle(pkpasses, this.trust);
      const passes = packages.map((verified) => this.put(verified, options));
      await this.registerNew(passes);
      return passes;
    });
  }

  /**
   * Receives a push for one pass type, or for all.
   * @returns the resulting lock-screen lines
   */
  async push(passTypeIdentifier?: string): Promise<PassNotification[]> {
    const services = this.wallet.services(passTypeIdentifier);
    const types = new Set(services.map((service) => service.passTypeIdentifier));
    const lines = await Promise.all([...types].map((type) => this.takePush(type)));
    return lines.flat();
  }

  /**
   * Receives a push from the push service.
   * @returns null if the push is for another phone
   */
  async receivePush(token: string, topic: string): Promise<PassNotification[] | null> {
    return this.tokens.get(topic) === token ? this.takePush(topic) : null;
  }

  /** Fetches the latest version of a pass, as if the owner had refreshed it. */
  refresh(serialNumber: string): Promise<FetchOutcome> {
    return this.inTurn(() => this.updates.fetch(this.wallet.get(serialNumber)));
  }

  /** Deletes a pass and unregisters it. `retryFailed()` repeats a failed unregistration. */
  remove(serialNumber: string): Promise<void> {
    return this.inTurn(async () => {
      const pass = this.wallet.get(serialNumber);
      this.wallet.passes.delete(serialNumber);
      this.updates.retries.delete(`fetch ${serialNumber}`);
      await this.updates.unregister(pass);
    });
  }

  /** Turns «Automatic Updates» of a pass on or off, which registers or unregisters the pass. */
  setAutomaticUpdates(serialNumber: string, on: boolean): Promise<void> {
    return this.inTurn(async () => {
      const pass = this.wallet.get(serialNumber);
      if (pass.automaticUpdates === on) return;
      pass.automaticUpdates = on;
      await (on ? this.updates.registerAll([pass]) : this.updates.unregister(pass));
    });
  }

  /** Changes the push tokens, as after a restore, and registers every pass again. */
  changePushToken(): Promise<void> {
    return this.inTurn(async () => {
      this.wallet.changePushTokens();
      await this.updates.registerAll([...this.wallet.passes.values()].filter((pass) => pass.automaticUpdates));
    });
  }

  /** Retries the failed steps once. A real phone tries about ten times, with growing pauses. */
  retryFailed(): Promise<void> {
    return this.inTurn(async () => {
      for (const [key, run] of [...this.updates.retries]) {
        if (this.updates.retries.delete(key)) await run();
      }
    });
  }

  /** Sends log lines to the web services of one pass type, or of all. */
  log(lines: readonly string[], passTypeIdentifier?: string): Promise<void> {
    return this.inTurn(async () => {
      for (const service of this.wallet.services(passTypeIdentifier)) await service.log(lines);
    });
  }

  /** Closes the phone's connections after the current task. */
  async close(): Promise<void> {
    await this.inTurn(() => Promise.resolve());
    this.http.close();
  }

  private put(verified: VerifiedPackage, { automaticUpdates = true, lastModified = null }: AddOptions): WalletPass {
    const { passTypeIdentifier, serialNumber } = verified.json;
    const installed = this.wallet.passes.get(serialNumber);
    if (installed && installed.passTypeIdentifier !== passTypeIdentifier) {
      throw new Error(`The phone has a pass of another type with the serial number "${serialNumber}" already.`);
    }
    const pass = installed ?? new WalletPass(verified);
    const { webServiceURL, authenticationToken } = verified.json;
    // Register again, because the token or the web service has changed.
    if (webServiceURL !== pass.webServiceUrl || authenticationToken !== pass.json.authenticationToken) {
      pass.registered = false;
    }
    pass.replace(verified, lastModified);
    pass.automaticUpdates = automaticUpdates;
    this.wallet.passes.set(serialNumber, pass);
    return pass;
  }

  private registerNew(passes: readonly WalletPass[]): Promise<void> {
    return this.updates.registerAll(passes.filter((pass) => pass.automaticUpdates && !pass.registered));
  }

  /** Receives a push. Joins a waiting push, because both cause the same request. */
  private takePush(passTypeIdentifier: string): Promise<PassNotification[]> {
    const waiting = this.waitingPushes.get(passTypeIdentifier);
    if (waiting) return waiting;
    const push = this.inTurn(async () => {
      this.waitingPushes.delete(passTypeIdentifier);
      const seen = this.notifications.length;
      for (const service of this.wallet.services(passTypeIdentifier)) await this.update(service);
      return this.notifications.slice(seen);
    });
    this.waitingPushes.set(passTypeIdentifier, push);
    return push;
  }

  private update(service: PassKitService): Promise<void> {
    return this.updates.update(service, 'push');
  }

  /** Runs one task at a time, and then sends its log lines. */
  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.lastTask.then(async () => {
      try {
        return await task();
      } finally {
        await this.updates.sendLog();
      }
    });
    this.lastTask = turn.catch(() => undefined);
    return turn;
  }
}
