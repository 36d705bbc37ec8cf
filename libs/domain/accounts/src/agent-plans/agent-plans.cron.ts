import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { AgentPlansRepository } from './agent-plans.repository.js';

/** Deletes, every hour, expired plans and the encryption keys of plans that no longer exist. */
@Injectable()
export class AgentPlansCron {
  constructor(
    private readonly database: Database,
    private readonly plans: AgentPlansRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'agent-plans.delete-expired', crontab: '47 * * * *' })
  async deleteExpired(): Promise<void> {
    const now = this.clock.now();
    await deleteInBatches(this.database, (tx, limit) => this.plans.deleteExpired(tx, now, limit));
    await deleteInBatches(this.database, (tx, limit) => this.plans.deleteKeysWithoutPlan(tx, limit));
  }
}
