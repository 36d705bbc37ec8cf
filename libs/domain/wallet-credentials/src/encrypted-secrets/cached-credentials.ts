import { isDeepStrictEqual } from 'node:util';
import { type Clock, type EncryptedSecrets, RecentEntries } from '@passwright/core';

/** How long a node may keep using a credential that another node has changed. */
const MAX_AGE_MS = 1000;
/** The maximum number of cached accounts, each about 6 KB. */
const MAX_ACCOUNTS = 2000;

/** Finds and decrypts credentials of one kind. */
export interface CredentialSource<Encrypted extends { readonly privateKey: Buffer }, Credential> {
  readonly purpose: string;
  readonly findEncrypted: (accountId: string) => Promise<Encrypted | null>;
  readonly opened: (encrypted: Encrypted, privateKeyPem: string) => Credential;
}

/** A credential, or the reason why its key cannot be decrypted. The reason is the end of a sentence. */
export type FoundCredential<Credential> = { readonly credential: Credential } | { readonly problem: string };

/** One decrypted version of an account's credential. */
interface Version<Encrypted, Credential> {
  readonly encrypted: Encrypted;
  readonly found: FoundCredential<Credential>;
}

interface Entry<Encrypted, Credential> {
  readonly loadedAt: number;
  readonly version: Promise<Version<Encrypted, Credential> | null>;
  /** The result of the look-up, which all callers share. */
  readonly found: Promise<FoundCredential<Credential> | null>;
}

/**
 * Caches the accounts' own credentials of one kind. Queries each account at most once a second, even if it has no
 * credential. Decrypts each version once, and returns the same object until the credential changes.
 */
export class CachedCredentials<Encrypted extends { readonly privateKey: Buffer }, Credential> {
  /** Cached credentials by account. */
  private readonly entries = new RecentEntries<string, Entry<Encrypted, Credential>>(MAX_ACCOUNTS);

  constructor(
    private readonly source: CredentialSource<Encrypted, Credential>,
    private readonly keys: EncryptedSecrets,
    private readonly clock: Clock,
  ) {}

  /** @returns null if the account has no credential of its own */
  find(accountId: string): Promise<FoundCredential<Credential> | null> {
    return this.entryOf(accountId).found;
  }

  /** Makes the next look-up read the database. */
  expire(accountId: string): void {
    const known = this.entries.get(accountId);
    // Keep the entry for comparison, so that an unchanged credential remains the same object.
    if (known) this.entries.set(accountId, { ...known, loadedAt: -Infinity });
  }

  private entryOf(accountId: string): Entry<Encrypted, Credential> {
    const now = this.clock.now().getTime();
    const known = this.entries.get(accountId);
    // After the clock was set back, treat entries from the future as old.
    if (known && known.loadedAt <= now && now < known.loadedAt + MAX_AGE_MS) return known;
    const version = this.load(accountId, known);
    const entry = { loadedAt: now, version, found: version.then((loaded) => loaded && loaded.found) };
    this.entries.set(accountId, entry);
    version.catch(() => this.forgetEntry(accountId, entry));
    return entry;
  }

  /** Removes the entry after a failed look-up. */
  private forgetEntry(accountId: string, entry: Entry<Encrypted, Credential>): void {
    if (this.entries.get(accountId) === entry) this.entries.delete(accountId);
  }

  private async load(
    accountId: string,
    known: Entry<Encrypted, Credential> | undefined,
  ): Promise<Version<Encrypted, Credential> | null> {
    const encrypted = await this.source.findEncrypted(accountId);
    if (!encrypted) return null;
    const last = await known?.version.catch(() => null);
    return last && isDeepStrictEqual(last.encrypted, encrypted) ? last : this.opened(accountId, encrypted);
  }

  private opened(accountId: string, encrypted: Encrypted): Version<Encrypted, Credential> {
    const key = this.keys.open(accountId, this.source.purpose, encrypted.privateKey);
    if ('problem' in key) return { encrypted, found: { problem: key.problem } };
    return { encrypted, found: { credential: this.source.opened(encrypted, key.privateKeyPem) } };
  }
}
