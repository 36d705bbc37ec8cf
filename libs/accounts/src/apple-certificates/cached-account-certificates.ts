import { Injectable } from '@nestjs/common';
import { AccountCertificates, Clock, WalletUnavailable, type ApplePem } from '@passwright/core';
import { AppleCertificatesRepository, type SealedCertificate } from './apple-certificates.repository.js';
import { SealedKeys } from './sealed-keys.js';

/** How long a node may go on with a certificate that another one has changed. */
const MAX_AGE_MS = 1000;
/** So many accounts are remembered, each some 6 KB. */
const MAX_ACCOUNTS = 2000;

/** One version of an account's certificate, opened. */
interface Version {
  readonly sealed: SealedCertificate;
  readonly pem: ApplePem | null;
  /** Why there is none. */
  readonly problem: string | null;
}

interface Entry {
  readonly loadedAt: number;
  readonly version: Promise<Version | null>;
}

/**
 * The certificates that accounts have brought: looked up once a second at most for each account, also for those that
 * have none, and opened once per version. The same version is the same object.
 */
@Injectable()
export class CachedAccountCertificates extends AccountCertificates {
  /** The first is the one not used for longest. */
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly repository: AppleCertificatesRepository,
    private readonly keys: SealedKeys,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws WalletUnavailable when its key cannot be opened */
  async find(accountId: string): Promise<ApplePem | null> {
    const version = await this.entryOf(accountId).version;
    if (!version) return null;
    if (version.pem) return version.pem;
    throw new WalletUnavailable(
      `The account's Apple Wallet certificate cannot be used: its private key ${version.problem ?? 'is missing'}. ` +
        'The operator has to put that master key back, or an admin brings the certificate with its key again.',
    );
  }

  /** The next look-up sees what was committed before it. */
  forget(accountId: string): void {
    this.entries.delete(accountId);
  }

  private entryOf(accountId: string): Entry {
    const now = this.clock.now().getTime();
    const known = this.entries.get(accountId);
    // A clock that was set back makes nothing last longer.
    const isFresh = known && known.loadedAt <= now && now < known.loadedAt + MAX_AGE_MS;
    const entry = isFresh ? known : { loadedAt: now, version: this.load(accountId, known) };
    this.entries.delete(accountId);
    this.entries.set(accountId, entry);
    if (this.entries.size > MAX_ACCOUNTS) {
      const [longestUnused] = this.entries.keys();
      if (longestUnused !== undefined) this.entries.delete(longestUnused);
    }
    if (!isFresh) entry.version.catch(() => this.forgetEntry(accountId, entry));
    return entry;
  }

  /** A look-up that failed is not remembered. */
  private forgetEntry(accountId: string, entry: Entry): void {
    if (this.entries.get(accountId) === entry) this.entries.delete(accountId);
  }

  private async load(accountId: string, known: Entry | undefined): Promise<Version | null> {
    const sealed = await this.repository.findSealed(accountId);
    if (!sealed) return null;
    const last = await known?.version.catch(() => null);
    return last && isSame(last.sealed, sealed) ? last : this.opened(accountId, sealed);
  }

  private opened(accountId: string, sealed: SealedCertificate): Version {
    const key = this.keys.open(accountId, 'apple-certificate', sealed.privateKey);
    if ('problem' in key) return { sealed, pem: null, problem: key.problem };
    const { certificatePem, intermediatePem } = sealed;
    return { sealed, pem: { certificatePem, intermediatePem, privateKeyPem: key.privateKeyPem }, problem: null };
  }
}

function isSame(one: SealedCertificate, other: SealedCertificate): boolean {
  return (
    one.certificatePem === other.certificatePem &&
    one.intermediatePem === other.intermediatePem &&
    one.privateKey.equals(other.privateKey)
  );
}
