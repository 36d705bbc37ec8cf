import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { EncryptedSecrets, Listeners, SecretBox, StoredSecretsListener, type SecretColumn } from '@passwright/core';
import { Database } from '@passwright/database';
import { StoredSecretsRepository, type SecretPosition } from './stored-secrets.repository.js';

/** The number of secrets in a batch. It is small, so that an upload does not wait long for a batch. */
const BATCH_SIZE = 50;

/** Re-encrypts secrets under the current master key, and reports which older keys are still needed. */
@Injectable()
export class KeyRotationService implements OnApplicationBootstrap {
  private readonly logger = new Logger('MasterKeys');
  private readonly stored: Listeners<StoredSecretsListener>;

  constructor(
    private readonly repository: StoredSecretsRepository,
    private readonly keys: EncryptedSecrets,
    private readonly box: SecretBox,
    private readonly database: Database,
    discovery: DiscoveryService,
  ) {
    this.stored = new Listeners(discovery, StoredSecretsListener);
  }

  /** Logs missing master keys when the process starts. Accounts without secrets under a missing key work normally. */
  async onApplicationBootstrap(): Promise<void> {
    for (const { keyId, accounts } of await this.repository.countByKey(this.columns)) {
      if (this.box.keyIds.includes(keyId)) continue;
      this.logger.error(
        `The master key "${keyId}" is missing, so the keys that it encrypts cannot be used. Accounts with such keys: ` +
          `${accounts}. Put it back, after the present ones.`,
      );
    }
  }

  /** Re-encrypts every secret under an older master key, and then logs which older keys are still needed. */
  async reEncrypt(): Promise<void> {
    let encrypted = 0;
    for (const column of this.columns) encrypted += await this.reEncryptAll(column);
    if (encrypted > 0)
      this.logger.log(`Keys re-encrypted under the master key "${this.box.currentKeyId}": ${encrypted}.`);
    await this.tellWhatIsNeeded();
  }

  private get columns(): readonly SecretColumn[] {
    return this.stored.all.flatMap(({ columns }) => columns);
  }

  private async responseKeyIds(): Promise<string[]> {
    return (await Promise.all(this.stored.all.map((secrets) => secrets.responseKeyIds()))).flat();
  }

  private async reEncryptAll(column: SecretColumn): Promise<number> {
    let encrypted = 0;
    for (let after: SecretPosition | undefined = { accountId: '', id: '' }; after !== undefined;) {
      const page = await this.encryptPage(column, after);
      encrypted += page.encrypted;
      after = page.last;
    }
    return encrypted;
  }

  /** @returns the number of re-encrypted secrets, and the last position; `last` is undefined for the last batch */
  private encryptPage(
    column: SecretColumn,
    after: SecretPosition,
  ): Promise<{ encrypted: number; last: SecretPosition | undefined }> {
    return this.database.transaction(async (tx) => {
      const page = { after, limit: BATCH_SIZE };
      const secrets = await this.repository.listUnderOthers(tx, column, this.box.currentKeyId, page);
      let encrypted = 0;
      for (const { accountId, id, encrypted: bytes } of secrets) {
        const opened = this.keys.openSecret(accountId, column.purpose, bytes);
        if ('problem' in opened) continue;
        const again = this.keys.encrypt(accountId, column.purpose, opened.secret);
        await this.repository.update(tx, column, { accountId, id, encrypted: again }, bytes);
        encrypted++;
      }
      return { encrypted, last: secrets.length === BATCH_SIZE ? secrets.at(-1) : undefined };
    });
  }

  private async tellWhatIsNeeded(): Promise<void> {
    const { keyIds, currentKeyId } = this.box;
    if (keyIds.length === 1) return;
    const used = new Set((await this.repository.countByKey(this.columns)).map(({ keyId }) => keyId));
    const unused = keyIds.filter((keyId) => keyId !== currentKeyId && !used.has(keyId));
    if (unused.length === 0) return;
    const needed = new Set(await this.responseKeyIds());
    const [inUse, free] = [unused.filter((keyId) => needed.has(keyId)), unused.filter((keyId) => !needed.has(keyId))];
    if (inUse.length > 0) {
      this.logger.log(
        'Stored responses to repeated requests are under these master keys, keep them for another 25 hours at most: ' +
          inUse.join(', '),
      );
    }
    if (free.length > 0) {
      this.logger.log(`Nothing is encrypted under these master keys any more, they can be dropped: ${free.join(', ')}`);
    }
  }
}
