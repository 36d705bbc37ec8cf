import { randomBytes } from 'node:crypto';
import type { DeviceHttp } from './device-http.js';
import type { WalletPass } from './installed-pass.js';
import { PassKitService } from './passkit-service.js';

/** The state of a phone: its passes, its web services, and a push token for each pass type. */
export class Wallet {
  /** The passes by serial number. */
  readonly passes = new Map<string, WalletPass>();
  private readonly known = new Map<string, PassKitService>();
  private pushTokens = new Map<string, string>();

  constructor(private readonly http: DeviceHttp) {}

  /**
   * Returns a pass.
   * @throws Error if the wallet does not have it
   */
  get(serialNumber: string): WalletPass {
    const pass = this.passes.get(serialNumber);
    if (!pass) throw new Error(`The phone has no pass with the serial number "${serialNumber}".`);
    return pass;
  }

  /** Returns the web service of a pass, created at the first call; null if the pass has none. */
  serviceOf(pass: WalletPass): PassKitService | null {
    if (pass.webServiceUrl === undefined) return null;
    const key = `${pass.passTypeIdentifier} ${pass.webServiceUrl}`;
    const service = this.known.get(key) ?? new PassKitService(this.http, pass.webServiceUrl, pass.passTypeIdentifier);
    this.known.set(key, service);
    return service;
  }

  /** Returns the known web services, or only those of one pass type. */
  services(passTypeIdentifier?: string): PassKitService[] {
    const all = [...this.known.values()];
    return passTypeIdentifier === undefined ? all : all.filter((one) => one.passTypeIdentifier === passTypeIdentifier);
  }

  /** Returns the push token: 32 bytes in hexadecimal, like Apple's. */
  pushToken(passTypeIdentifier: string): string {
    const token = this.pushTokens.get(passTypeIdentifier) ?? randomBytes(32).toString('hex');
    this.pushTokens.set(passTypeIdentifier, token);
    return token;
  }

  /** The push tokens by pass type identifier. */
  get tokens(): ReadonlyMap<string, string> {
    return this.pushTokens;
  }

  changePushTokens(): void {
    this.pushTokens = new Map();
  }
}
