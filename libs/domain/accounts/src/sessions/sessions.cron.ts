import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { SessionsService } from './sessions.service.js';

/** Deletes expired sessions every hour. */
@Injectable()
export class SessionsCron {
  constructor(private readonly sessions: SessionsService) {}

  @Scheduled({ name: 'sessions.delete-expired', crontab: '17 * * * *' })
  deleteExpired(): Promise<void> {
    return this.sessions.deleteExpired();
  }
}
