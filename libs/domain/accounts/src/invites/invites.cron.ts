import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { InvitesService } from './invites.service.js';

/** Deletes old invitations every hour. */
@Injectable()
export class InvitesCron {
  constructor(private readonly invites: InvitesService) {}

  @Scheduled({ name: 'invites.delete-expired', crontab: '41 * * * *' })
  deleteExpired(): Promise<void> {
    return this.invites.deleteExpired();
  }
}
