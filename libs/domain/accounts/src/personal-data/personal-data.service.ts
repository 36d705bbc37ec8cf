import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, loggedError, DecryptionFailed, SecretBox, UnknownMasterKey } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { AccountKey } from './account-key.js';
import { KeyMissing } from './key-missing.js';
import { KeyUnusable } from './key-unusable.js';
import { EncryptionKeysRepository, keysOfUsers, type StoredRecordKey } from './encryption-keys.repository.js';

const PURPOSE = 'encryption-key';
const BATCH_SIZE = 100;
/** The maximum number of ids in a log line. */
const LOST_AT_MOST = 10;
/** The maximum number of loaded keys, of about 300 bytes each. */
const MAX_ACCOUNTS = 10_000;
/** How long a node may use a key that another node has deleted. */
const MAX_AGE_MS = 60_000;

/**
 * The keys for names, e-mail addresses and member data: one for each account, encrypted with the master key, and one
 * for each record. Deleting a key makes its data unreadable, even in backups.
 */
@Injectable()
export class PersonalData implements OnApplicationBootstrap {
  private readonly logger = new Logger('PersonalData');
  private readonly box: SecretBox | null;
  private readonly isOn: boolean;
  /** Loaded keys, oldest first. */
  private readonly known = new Map<string, { readonly key: AccountKey; readonly until: number }>();

  constructor(
    private readonly repository: EncryptionKeysRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    { personalData }: AccountsOptions,
  ) {
    this.box = personalData ? new SecretBox(personalData.masterKeys) : null;
    this.isOn = personalData?.encrypts ?? false;
  }

  /**
   * Creates the key of users. After a failure, the scheduled job tries again, and users are stored unencrypted until it
   * succeeds.
   */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.createKeyOfUsers();
    } catch (error) {
      this.logger.warn(`The key of users was not created yet: ${loggedError(error).message}`);
    }
  }

  /** True if this node encrypts new records, and encrypts old records in the background. */
  get encrypts(): boolean {
    return this.isOn;
  }

  /**
   * Returns the account's key; null if its records are unencrypted.
   * @param tx the caller's transaction, if any. @throws KeyUnusable if no master key decrypts it
   */
  async find(accountId: string, tx?: EntityManager): Promise<AccountKey | null> {
    const known = this.known.get(accountId);
    if (known && performance.now() < known.until) return known.key;
    if (!this.box) return null;
    const stored = await this.repository.findRoot(accountId, tx);
    if (!stored) return null;
    const key = new AccountKey(accountId, this.open(this.box, accountId, stored.wrapped), stored.isComplete);
    this.keep(accountId, key);
    return key;
  }

  /**
   * Loads the key that encrypts the data of users. Without it, users cannot sign in.
   * @throws KeyUnusable if no master key decrypts it
   */
  async requireKeyOfUsers(): Promise<void> {
    await this.find(keysOfUsers);
  }

  /**
   * Returns the key for new values; null if they are stored unencrypted. A node that creates no keys still uses
   * existing keys, so that an encrypted account never gets unencrypted values.
   * @throws NotReady if the key of an encrypted account is missing
   */
  async findForWrite(accountId: string, tx: EntityManager): Promise<AccountKey | null> {
    const key = await this.find(accountId, tx);
    if (!key && this.isOn && (await this.repository.hasRecords(tx, accountId))) throw new KeyMissing();
    return key;
  }

  /** Returns the forms in which the database may store an e-mail address. */
  async formsOf(accountId: string, email: string, tx?: EntityManager): Promise<string[]> {
    return (await this.find(accountId, tx))?.formsOf(email) ?? [email.toLowerCase()];
  }

  /**
   * Creates the account's key, unless the account has a key or encrypted records.
   * @param completedAt null: the account may have unencrypted records
   */
  async create(tx: EntityManager, accountId: string, completedAt: Date | null = this.clock.now()): Promise<void> {
    if (!this.isOn || !this.box) return;
    const wrapped = this.box.encrypt(randomBytes(32).toString('base64'), { accountId, purpose: PURPOSE });
    await this.repository.insertRoot(tx, accountId, wrapped, completedAt);
  }

  /** Stores the keys of records, replacing existing ones. */
  async put(tx: EntityManager, accountId: string, keys: readonly StoredRecordKey[]): Promise<void> {
    if (keys.length > 0) await this.repository.put(tx, accountId, keys);
  }

  /** Creates a key for every account that has none yet. */
  async createKeys({ signal }: JobContext): Promise<void> {
    if (!this.isOn) return;
    await this.createKeyOfUsers();
    for (;;) {
      signal.throwIfAborted();
      const accountIds = await this.repository.listAccountsWithout(BATCH_SIZE);
      if (accountIds.length === 0) break;
      await this.database.transaction(async (tx) => {
        for (const accountId of accountIds) await this.create(tx, accountId, null);
      });
    }
    const lost = await this.repository.listLost(LOST_AT_MOST);
    if (lost.length > 0)
      this.logger.error(`Personal data cannot be read, as keys are missing: restore keys.dump. Of ${lost.join(', ')}`);
  }

  /** Yields the accounts that have a key but may still have unencrypted records; none if encryption is disabled. */
  async *incomplete(): AsyncGenerator<string> {
    if (!this.isOn) return;
    for (let after = ''; ;) {
      const accountIds = await this.repository.listIncomplete(after, BATCH_SIZE);
      yield* accountIds;
      const last = accountIds.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  /** Records that the account has no unencrypted records any more. */
  async complete(tx: EntityManager, accountId: string): Promise<void> {
    await this.repository.complete(tx, accountId, this.clock.now());
    this.known.delete(accountId);
  }

  /**
   * Deletes an account's key and the keys of all its records, so that no record can be read again, not even from
   * backups.
   */
  async deleteKeysOf(tx: EntityManager, accountId: string): Promise<void> {
    await this.repository.deleteOfAccount(tx, accountId);
    this.known.delete(accountId);
  }

  private async createKeyOfUsers(): Promise<void> {
    if (!this.isOn || (await this.repository.findRoot(keysOfUsers))) return;
    await this.database.transaction((tx) => this.create(tx, keysOfUsers));
  }

  private keep(accountId: string, key: AccountKey): void {
    this.known.delete(accountId);
    this.known.set(accountId, { key, until: performance.now() + MAX_AGE_MS });
    if (this.known.size <= MAX_ACCOUNTS) return;
    const [oldest = ''] = this.known.keys();
    this.known.delete(oldest);
  }

  private open(box: SecretBox, accountId: string, wrapped: Buffer): Buffer {
    try {
      return Buffer.from(box.open(wrapped, { accountId, purpose: PURPOSE }).toString(), 'base64');
    } catch (error) {
      if (!(error instanceof UnknownMasterKey) && !(error instanceof DecryptionFailed)) throw error;
      throw new KeyUnusable(accountId, error);
    }
  }
}
