import type { VerifiedPackage } from './package-verification.js';

/** A pass in a phone's wallet. */
export interface InstalledPass {
  /** The `pass.json` of the installed version. */
  readonly json: VerifiedPackage['json'];
  /** Every file of the installed version by its path in the package. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly packageBytes: Buffer;
  /** The `Last-Modified` header of the installed version, as received; null if there was none. */
  readonly lastModified: string | null;
  /** True if the phone's owner allows updates. */
  readonly automaticUpdates: boolean;
  /** True if the web service has accepted the registration. */
  readonly registered: boolean;
}

/** A pass in a phone's wallet. It also stores the state that only the phone changes. */
export class WalletPass implements InstalledPass {
  automaticUpdates = true;
  registered = false;
  /** True if the web service may have registered the phone, even if its response was lost. */
  registrationTried = false;
  lastModified: string | null = null;

  constructor(private installed: VerifiedPackage) {}

  get json(): VerifiedPackage['json'] {
    return this.installed.json;
  }

  get files(): ReadonlyMap<string, Buffer> {
    return this.installed.files;
  }

  get packageBytes(): Buffer {
    return this.installed.packageBytes;
  }

  get serialNumber(): string {
    return this.json.serialNumber;
  }

  get passTypeIdentifier(): string {
    return this.json.passTypeIdentifier;
  }

  /** The address of the web service; undefined for a pass without updates. */
  get webServiceUrl(): string | undefined {
    return this.json.webServiceURL as string | undefined;
  }

  /** The token for the web service; empty if the pass has none. */
  get authenticationToken(): string {
    return (this.json.authenticationToken as string | undefined) ?? '';
  }

  /** Returns true if both versions have the same files. Phones compare the manifests. */
  isSameAs({ files }: VerifiedPackage): boolean {
    const [mine, theirs] = [this.files.get('manifest.json'), files.get('manifest.json')];
    return mine !== undefined && theirs !== undefined && mine.equals(theirs);
  }

  replace(installed: VerifiedPackage, lastModified: string | null): void {
    this.installed = installed;
    this.lastModified = lastModified;
  }
}
