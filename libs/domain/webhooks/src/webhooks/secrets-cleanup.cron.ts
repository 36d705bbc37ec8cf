import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { WebhooksRepository } from './webhooks.repository.js';

/** Deletes replaced secrets that are no longer valid. */
@Injectable()
export class SecretsCleanupCron {
  constructor(
    private readonly database: Database,
    private readonly repository: WebhooksRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'webhooks.forget-secrets', crontab: '17 * * * *' })
  async forget(): Promise<void> {
    await this.database.transaction((tx) => this.repository.forgetSecrets(tx, this.clock.now()));
  }
}
