import { isDeepStrictEqual } from 'node:util';
import type { Clock, EncryptedSecrets } from '@passwright/core';

/** How long a node may go on with a credential that another one has changed. */
const MAX_AGE_MS = 1000;
/** So many accounts are remembered, each some 6 KB. */
const MAX_ACCOUNTS = 2000;

/** How credentials of one kind are looked up and opened. */
export interface CredentialSource<Sealed extends { readonly privateKey: Buffer }, Credential> {
  readonly purpose: string;
  readonly findSealed: (accountId: string) => Promise<Sealed | null>;
  readonly opened: (sealed: Sealed, privateKeyPem: string) => Credential;
}

/** A credential, or why its key cannot be opened: the end of a sentence. */
export type FoundCredential<Credential> = { readonly credential: Credential } | { readonly problem: string };

/** One version of an account's credential, opened. */
interface Version<Sealed, Credential> {
  readonly sealed: Sealed;
  readonly found: FoundCredential<Credential>;
}

interface Entry<Sealed, Credential> {
  readonly loadedAt: number;
  readonly version: Promise<Version<Sealed, Credential> | null>;
}

/**
 * The credentials of one kind that accounts have brought: looked up once a second at most for each account, also for
 * those that have none, and opened once per version. The same version is the same object.
 */
export class CachedCredentials<Sealed extends { readonly privateKey: Buffer }, Credential> {
  /** The first is the one not used for longest. */
  private readonly entries = new Map<string, Entry<Sealed, Credential>>();

  constructor(
    private readonly source: CredentialSource<Sealed, Credential>,
    private readonly keys: EncryptedSecrets,
    private readonly clock: Clock,
  ) {}

  /** @returns null when the account has none */
  async find(accountId: string): Promise<FoundCredential<Credential> | null> {
    const version = await this.entryOf(accountId).version;
    return version && version.found;
  }

  /** The next look-up sees what was committed before it. */
  expire(accountId: string): void {
    const known = this.entries.get(accountId);
    // It stays to be compared with: what has not changed remains the same object.
    if (known) this.entries.set(accountId, { ...known, loadedAt: -Infinity });
  }

  private entryOf(accountId: string): Entry<Sealed, Credential> {
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
  private forgetEntry(accountId: string, entry: Entry<Sealed, Credential>): void {
    if (this.entries.get(accountId) === entry) this.entries.delete(accountId);
  }

  private async load(
    accountId: string,
    known: Entry<Sealed, Credential> | undefined,
  ): Promise<Version<Sealed, Credential> | null> {
    const sealed = await this.source.findSealed(accountId);
    if (!sealed) return null;
    const last = await known?.version.catch(() => null);
    return last && isDeepStrictEqual(last.sealed, sealed) ? last : this.opened(accountId, sealed);
  }

  private opened(accountId: string, sealed: Sealed): Version<Sealed, Credential> {
    const key = this.keys.open(accountId, this.source.purpose, sealed.privateKey);
    if ('problem' in key) return { sealed, found: { problem: key.problem } };
    return { sealed, found: { credential: this.source.opened(sealed, key.privateKeyPem) } };
  }
}
