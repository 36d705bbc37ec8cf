import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { InvitesRepository } from './invites.repository.js';

/** How long an invitation is stored after its expiry, so that a response can explain why its code no longer works. */
const STORED_MS = 30 * 24 * 60 * 60 * 1000;

/** Deletes, every hour, the invitations that expired more than 30 days ago. */
@Injectable()
export class InvitesCron {
  constructor(
    private readonly database: Database,
    private readonly repository: InvitesRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'invites.delete-expired', crontab: '41 * * * *' })
  async deleteExpired(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - STORED_MS);
    await deleteInBatches(this.database, (tx, limit) => this.repository.deleteExpired(tx, before, limit));
  }
}
