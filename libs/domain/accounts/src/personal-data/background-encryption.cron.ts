import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import { ClearRows } from './clear-rows.js';
import { PersonalData } from './personal-data.service.js';

const BATCH_SIZE = 100;

/** Encrypts all unencrypted rows in batches. After an interruption, the next run continues. */
@Injectable()
export class BackgroundEncryption {
  private readonly logger = new Logger('PersonalData');

  constructor(
    private readonly database: Database,
    private readonly keys: PersonalData,
    private readonly discovery: DiscoveryService,
  ) {}

  /** Encrypts table by table. A table that fails does not stop the others. */
  @Scheduled({ name: 'personal-data.encrypt', crontab: '*/5 * * * *' })
  async run({ signal }: JobContext): Promise<void> {
    if (!this.keys.encrypts) return;
    const failures: unknown[] = [];
    for (const rows of this.tables()) {
      await this.encryptAll(rows, signal).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  private async encryptAll(rows: ClearRows, signal: AbortSignal): Promise<void> {
    for (let after: object | null | undefined = null; after !== undefined;) {
      signal.throwIfAborted();
      const from: object | null = after;
      after = await this.database.transaction(async (tx) => {
        const batch = await rows.lockInClear(tx, from, BATCH_SIZE);
        for (const row of batch) {
          const problem = await rows.encrypt(tx, row);
          if (problem !== null) this.logger.error(`${problem} It stays in clear.`);
        }
        return batch.length === BATCH_SIZE ? batch.at(-1) : undefined;
      });
    }
  }

  private tables(): ClearRows[] {
    return this.discovery.getProviders().flatMap(({ instance }) => {
      const provider: unknown = instance;
      return provider instanceof ClearRows ? [provider as ClearRows] : [];
    });
  }
}
