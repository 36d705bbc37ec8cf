import { randomBytes } from 'node:crypto';
import type { DeviceHttp } from './device-http.js';
import type { WalletPass } from './installed-pass.js';
import { PassKitService } from './passkit-service.js';

/** What a phone keeps: its passes, the web services it knows, and a push token for each pass type. */
export class Wallet {
  /** By serial number. */
  readonly passes = new Map<string, WalletPass>();
  private readonly known = new Map<string, PassKitService>();
  private pushTokens = new Map<string, string>();

  constructor(private readonly http: DeviceHttp) {}

  /** @throws Error when the wallet has no such pass */
  get(serialNumber: string): WalletPass {
    const pass = this.passes.get(serialNumber);
    if (!pass) throw new Error(`The phone has no pass with the serial number "${serialNumber}".`);
    return pass;
  }

  /** The web service of a pass, new to the phone or not; null for a pass without one. */
  serviceOf(pass: WalletPass): PassKitService | null {
    if (pass.webServiceUrl === undefined) return null;
    const key = `${pass.passTypeIdentifier} ${pass.webServiceUrl}`;
    const service = this.known.get(key) ?? new PassKitService(this.http, pass.webServiceUrl, pass.passTypeIdentifier);
    this.known.set(key, service);
    return service;
  }

  /** The web services the phone knows, those of one pass type when it is given. */
  services(passTypeIdentifier?: string): PassKitService[] {
    const all = [...this.known.values()];
    return passTypeIdentifier === undefined ? all : all.filter((one) => one.passTypeIdentifier === passTypeIdentifier);
  }

  /** Hexadecimal, as Apple's are: 32 bytes. */
  pushToken(passTypeIdentifier: string): string {
    const token = this.pushTokens.get(passTypeIdentifier) ?? randomBytes(32).toString('hex');
    this.pushTokens.set(passTypeIdentifier, token);
    return token;
  }

  /** By pass type identifier. */
  get tokens(): ReadonlyMap<string, string> {
    return this.pushTokens;
  }

  changePushTokens(): void {
    this.pushTokens = new Map();
  }
}
