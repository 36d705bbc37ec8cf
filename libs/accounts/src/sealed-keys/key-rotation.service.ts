import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SecretBox } from '@passwright/core';
import { Database, Scheduled } from '@passwright/database';
import { SealedKeys, type KeyPurpose } from './sealed-keys.js';
import { SealedSecretsRepository } from './sealed-secrets.repository.js';

/** Few enough to hold nobody up who uploads meanwhile. */
const BATCH_SIZE = 50;
const purposes: readonly KeyPurpose[] = ['apple-certificate', 'apple-certificate-request', 'google-service-account'];

/** Brings sealed keys under the master key that seals now, and tells which older ones are still needed. */
@Injectable()
export class KeyRotationService implements OnApplicationBootstrap {
  private readonly logger = new Logger('MasterKeys');

  constructor(
    private readonly repository: SealedSecretsRepository,
    private readonly keys: SealedKeys,
    private readonly box: SecretBox,
    private readonly database: Database,
  ) {}

  /** A master key that is missing stops nobody but the accounts whose keys are sealed under it. */
  async onApplicationBootstrap(): Promise<void> {
    for (const { keyId, accounts } of await this.repository.countByKey()) {
      if (this.box.keyIds.includes(keyId)) continue;
      this.logger.error(
        `The master key "${keyId}" is missing: the keys of ${accounts} account(s) are sealed under it ` +
          'and cannot be used. Put it back, after the present ones.',
      );
    }
  }

  @Scheduled({ name: 'master-keys.seal-anew', crontab: '41 * * * *' })
  async sealAnew(): Promise<void> {
    let sealed = 0;
    for (const purpose of purposes) sealed += await this.sealAllAnew(purpose);
    if (sealed > 0) this.logger.log(`Sealed ${sealed} keys anew under the master key "${this.box.currentKeyId}".`);
    await this.tellWhatIsNeeded();
  }

  private async sealAllAnew(purpose: KeyPurpose): Promise<number> {
    let sealed = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const page = await this.sealPage(purpose, after);
      sealed += page.sealed;
      after = page.last;
    }
    return sealed;
  }

  /** @returns the last account of a full page */
  private sealPage(purpose: KeyPurpose, after: string): Promise<{ sealed: number; last: string | undefined }> {
    return this.database.transaction(async (tx) => {
      const page = { after, limit: BATCH_SIZE };
      const secrets = await this.repository.listUnderOthers(tx, purpose, this.box.currentKeyId, page);
      let sealed = 0;
      for (const { accountId, privateKey } of secrets) {
        const key = this.keys.open(accountId, purpose, privateKey);
        if ('problem' in key) continue;
        const again = this.keys.seal(accountId, purpose, key.privateKeyPem);
        await this.repository.update(tx, purpose, { accountId, privateKey: again });
        sealed++;
      }
      return { sealed, last: secrets.length === BATCH_SIZE ? secrets.at(-1)?.accountId : undefined };
    });
  }

  private async tellWhatIsNeeded(): Promise<void> {
    const { keyIds, currentKeyId } = this.box;
    if (keyIds.length === 1) return;
    const used = new Set((await this.repository.countByKey()).map(({ keyId }) => keyId));
    const unused = keyIds.filter((keyId) => keyId !== currentKeyId && !used.has(keyId));
    if (unused.length > 0) {
      this.logger.log(`Nothing is sealed under these master keys any more, they can be dropped: ${unused.join(', ')}`);
    }
  }
}
