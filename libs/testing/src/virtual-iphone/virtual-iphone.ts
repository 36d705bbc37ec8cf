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
  /** The roots for packages, as PEM text. If there are none, a package is checked only against its own chain. */
  readonly roots?: readonly string[];
  /** Returns the time for traces and log lines. Default: the system's. Packages are judged at their signing time. */
  readonly now?: () => Date;
  /** PEM text of the authorities for web services' https certificates, instead of the system's. */
  readonly ca?: readonly string[];
  /**
   * Redirects requests from the origin in the pass, with the same path and query. For a service under test on another
   * port than the one it publishes.
   */
  readonly route?: DeviceHttpOptions['route'];
  /** If true, allows http, like the developer switch «Allow HTTP Services». Default: true. */
  readonly allowHttp?: boolean;
  /** The time limit for a whole response. Default: 30. */
  readonly timeoutSeconds?: number;
  readonly userAgent?: string;
  /** The system of the phone, which decides what it draws: `ios26` also stands for earlier ones. Default: `ios27`. */
  readonly system?: PhoneSystem;
}

/** Options for adding a pass. */
export interface AddOptions {
  /** If false, adds the pass without registering, as if the owner had turned updates off. */
  readonly automaticUpdates?: boolean;
  /** The `Last-Modified` of the download, for the phone's first request. */
  readonly lastModified?: string | null;
}

const passd = 'passd/1.0 CFNetwork/1568.200.51 Darwin/24.1.0';

/**
 * An iPhone's wallet as a PassKit web service sees it. It verifies packages, registers, receives pushes, lists,
 * fetches, shows lock-screen lines, sends log complaints, and unregisters. It runs one task at a time, reuses its
 * connections and has no timers: failed steps wait for `retryFailed()`. Call `close()` at the end.
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
   * @param languages the phone's languages as canonical tags, the preferred one first. @throws Error if the pass is not
   * in the wallet
   */
  screen(serialNumber: string, languages: readonly string[] = ['en']): PassOnScreen {
    return screenOf(this.wallet.get(serialNumber), languages, this.system);
  }

  /** Every request so far in the order of sending, including log calls. */
  get requests(): readonly PhoneRequest[] {
    return this.http.requests;
  }

  /** The lock-screen lines so far. */
  get notifications(): readonly PassNotification[] {
    return this.updates.notifications;
  }

  /** The log lines so far, whether or not the services accepted them. */
  get logLines(): readonly string[] {
    return this.updates.logLines;
  }

  /** Failed steps that wait for `retryFailed()`, such as `register <serial number>`. */
  get failed(): readonly string[] {
    return [...this.updates.retries.keys()];
  }

  /** The phone's push tokens by pass type identifier: 64 hexadecimal digits. */
  get tokens(): ReadonlyMap<string, string> {
    return this.wallet.tokens;
  }

  /** Returns the device library identifier for a pass's web service; undefined without a web service. */
  deviceLibraryIdentifier(serialNumber: string): string | undefined {
    return this.wallet.serviceOf(this.wallet.get(serialNumber))?.deviceLibraryIdentifier;
  }

  /**
   * Adds a pass as if its owner had tapped «Add», or replaces the installed one with the same serial number. Then
   * registers it and asks for changes. A failing web service does not fail the call: see `failed`.
   * @throws PackageRejected with every error of the package
   */
  add(pkpass: Uint8Array, options: AddOptions = {}): Promise<InstalledPass> {
    return this.inTurn(async () => {
      const pass = this.put(await verifyPackage(pkpass, this.trust), options);
      await this.registerNew([pass]);
      return pass;
    });
  }

  /** Adds all passes of a `.pkpasses` bundle, or none. @throws PackageRejected with every error */
  addBundle(pkpasses: Uint8Array, options: AddOptions = {}): Promise<InstalledPass[]> {
    return this.inTurn(async () => {
      const packages = await verifyBundle(pkpasses, this.trust);
      const passes = packages.map((verified) => this.put(verified, options));
      await this.registerNew(passes);
      return passes;
    });
  }

  /** Receives a push for a pass type, or one for each pass type. @returns the resulting lock-screen lines */
  async push(passTypeIdentifier?: string): Promise<PassNotification[]> {
    const services = this.wallet.services(passTypeIdentifier);
    const types = new Set(services.map((service) => service.passTypeIdentifier));
    const lines = await Promise.all([...types].map((type) => this.takePush(type)));
    return lines.flat();
  }

  /** Receives a push from the push service. @returns null if it is for another phone */
  async receivePush(token: string, topic: string): Promise<PassNotification[] | null> {
    return this.tokens.get(topic) === token ? this.takePush(topic) : null;
  }

  /** Asks for the latest version of a pass, as if the owner had pulled down on the back of the pass. */
  refresh(serialNumber: string): Promise<FetchOutcome> {
    return this.inTurn(() => this.updates.fetch(this.wallet.get(serialNumber)));
  }

  /** Deletes a pass and unregisters it. `retryFailed()` retries a failure. */
  remove(serialNumber: string): Promise<void> {
    return this.inTurn(async () => {
      const pass = this.wallet.get(serialNumber);
      this.wallet.passes.delete(serialNumber);
      this.updates.retries.delete(`fetch ${serialNumber}`);
      await this.updates.unregister(pass);
    });
  }

  /** Turns a pass's «Automatic Updates» off, which unregisters it, or on, which registers it. */
  setAutomaticUpdates(serialNumber: string, on: boolean): Promise<void> {
    return this.inTurn(async () => {
      const pass = this.wallet.get(serialNumber);
      if (pass.automaticUpdates === on) return;
      pass.automaticUpdates = on;
      await (on ? this.updates.registerAll([pass]) : this.updates.unregister(pass));
    });
  }

  /** Gets new push tokens, as after a restore, and registers every pass again. */
  changePushToken(): Promise<void> {
    return this.inTurn(async () => {
      this.wallet.changePushTokens();
      await this.updates.registerAll([...this.wallet.passes.values()].filter((pass) => pass.automaticUpdates));
    });
  }

  /** Retries failed steps once. A real phone does so itself, about ten times, with growing pauses. */
  retryFailed(): Promise<void> {
    return this.inTurn(async () => {
      for (const [key, run] of [...this.updates.retries]) {
        if (this.updates.retries.delete(key)) await run();
      }
    });
  }

  /** Sends log lines to the web services of a pass type or to all. */
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
    // The existing registration has another token or web service.
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

  /**
   * Receives a push. A push that arrives while another waits is merged with it, because both ask for the same changes.
   */
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

  /** Runs one task at a time, then sends its log complaints. */
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
