import { randomBytes } from 'node:crypto';
import type { DeviceHttp, PhoneResponse } from './device-http.js';

/**
 * A PassKit web service as a phone knows it: its URL and pass type, the phone's device identifier, and the tag of the
 * last list that was fully processed.
 * @see https://developer.apple.com/documentation/walletpasses/adding-a-web-service-to-update-passes
 */
export class PassKitService {
  readonly deviceLibraryIdentifier = randomBytes(16).toString('hex');
  /** The next value of `passesUpdatedSince`. */
  tag: string | null = null;
  /**
   * The passes that the phone has fetched from a list in which another pass failed. The next list may contain them
   * again.
   */
  readonly dealtWith = new Set<string>();

  private readonly origin: string;
  private readonly base: string;

  constructor(
    private readonly http: DeviceHttp,
    readonly url: string,
    readonly passTypeIdentifier: string,
  ) {
    const { origin, pathname } = new URL(url);
    this.origin = origin;
    this.base = `${pathname.replace(/(?<!\/)\/+$/, '')}/v1`;
  }

  register(serialNumber: string, authenticationToken: string, pushToken: string): Promise<PhoneResponse> {
    const headers = authorization(authenticationToken);
    return this.http.send('POST', this.origin, this.registration(serialNumber), { headers, json: { pushToken } });
  }

  unregister(serialNumber: string, authenticationToken: string): Promise<PhoneResponse> {
    const headers = authorization(authenticationToken);
    return this.http.send('DELETE', this.origin, this.registration(serialNumber), { headers });
  }

  listUpdated(): Promise<PhoneResponse> {
    const query = this.tag === null ? '' : `?passesUpdatedSince=${encodeQuery(this.tag)}`;
    return this.http.send('GET', this.origin, this.registrations + query);
  }

  latestPass(serialNumber: string, authenticationToken: string, modifiedSince: string | null): Promise<PhoneResponse> {
    const path = `${this.base}/passes/${encodePath(this.passTypeIdentifier)}/${encodePath(serialNumber)}`;
    const headers = {
      ...authorization(authenticationToken),
      ...(modifiedSince !== null && { 'if-modified-since': modifiedSince }),
    };
    return this.http.send('GET', this.origin, path, { headers });
  }

  log(lines: readonly string[]): Promise<PhoneResponse> {
    return this.http.send('POST', this.origin, `${this.base}/log`, { json: { logs: lines } });
  }

  private get registrations(): string {
    const device = encodePath(this.deviceLibraryIdentifier);
    return `${this.base}/devices/${device}/registrations/${encodePath(this.passTypeIdentifier)}`;
  }

  private registration(serialNumber: string): string {
    return `${this.registrations}/${encodePath(serialNumber)}`;
  }
}

function authorization(authenticationToken: string): Record<string, string> {
  return { authorization: `ApplePass ${authenticationToken}` };
}

/** Encodes a path like Foundation's `urlPathAllowed`, which does not encode slash and plus. */
function encodePath(part: string): string {
  return encodeExcept(part, /[A-Za-z0-9\-._~!$&'()*+,;=:@/]/);
}

/** Encodes a query like Foundation's `urlQueryAllowed`, which does not encode plus and ampersand. */
function encodeQuery(part: string): string {
  return encodeExcept(part, /[A-Za-z0-9\-._~!$&'()*+,;=:@/?]/);
}

function encodeExcept(text: string, allowed: RegExp): string {
  const encode = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return Array.from(Buffer.from(text, 'utf8'), (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 0x80 && allowed.test(character) ? character : encode(byte);
  }).join('');
}
