import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, loggedError, SealBroken, SecretBox, UnknownMasterKey, Scheduled } from '@passwright/core';
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
/** A log line is no place for more. */
const LOST_AT_MOST = 10;
/** Each some 300 bytes. */
const MAX_ACCOUNTS = 10_000;
/** A node uses a key for at most this long after another node has deleted it. */
const MAX_AGE_MS = 60_000;

/**
 * The keys under which names, e-mail addresses and members' data are encrypted: one for each account, sealed under the
 * master key, and one for each record. Deleting a key makes what it encrypted unreadable, in back-ups too.
 */
@Injectable()
export class PersonalData implements OnApplicationBootstrap {
  private readonly logger = new Logger('PersonalData');
  private readonly box: SecretBox | null;
  private readonly isOn: boolean;
  /** The first was loaded longest ago. */
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

  /** Creates the key of users. When that fails, the timed job tries again, and users are stored in clear until then. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.createKeyOfUsers();
    } catch (error) {
      this.logger.warn(`The key of users was not created yet: ${loggedError(error).message}`);
    }
  }

  /** True if new records are encrypted, and old ones are encrypted in the background. */
  get encrypts(): boolean {
    return this.isOn;
  }

  /**
   * The account's key; null where its records are in clear.
   * @param tx the transaction that asks, if any. @throws KeyUnusable when no master key opens it
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
   * Reads the key of users, without which nobody signs in.
   * @throws KeyUnusable when no master key opens it
   */
  async requireKeyOfUsers(): Promise<void> {
    await this.find(keysOfUsers);
  }

  /**
   * The key under which new values are encrypted; null where they are stored in clear. A node that does not encrypt makes
   * no keys, and uses those that there are: so nothing in clear comes into an account that is encrypted.
   * @throws NotReady when the key of an account that is encrypted is missing
   */
  async findForWrite(accountId: string, tx: EntityManager): Promise<AccountKey | null> {
    const key = await this.find(accountId, tx);
    if (!key && this.isOn && (await this.repository.hasRecords(tx, accountId))) throw new KeyMissing();
    return key;
  }

  /** The forms by which the database may know an e-mail address. */
  async formsOf(accountId: string, email: string, tx?: EntityManager): Promise<string[]> {
    return (await this.find(accountId, tx))?.formsOf(email) ?? [email.toLowerCase()];
  }

  /** Gives an account its key, unless it has one or has lost it. @param completedAt null: it may have records in clear */
  async create(tx: EntityManager, accountId: string, completedAt: Date | null = this.clock.now()): Promise<void> {
    if (!this.isOn || !this.box) return;
    const wrapped = this.box.seal(randomBytes(32).toString('base64'), { accountId, purpose: PURPOSE });
    await this.repository.insertRoot(tx, accountId, wrapped, completedAt);
  }

  /** Stores the keys of records, in place of those they had. */
  async put(tx: EntityManager, accountId: string, keys: readonly StoredRecordKey[]): Promise<void> {
    if (keys.length > 0) await this.repository.put(tx, accountId, keys);
  }

  /** Gives every account a key that has none yet. */
  @Scheduled({ name: 'personal-data.create-keys', crontab: '*/5 * * * *' })
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

  /** Accounts that have a key and may have records in clear, one after the other. None where nothing is encrypted. */
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

  /** Notes that no record of the account is in clear any more. */
  async complete(tx: EntityManager, accountId: string): Promise<void> {
    await this.repository.complete(tx, accountId, this.clock.now());
    this.known.delete(accountId);
  }

  /** Deletes an account's key and those of all its records: none of them can be read again, in back-ups either. */
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
      if (!(error instanceof UnknownMasterKey) && !(error instanceof SealBroken)) throw error;
      throw new KeyUnusable(accountId, error);
    }
  }
}
