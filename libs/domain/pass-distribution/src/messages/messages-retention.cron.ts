import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { MessageRecipientsRepository } from './message-recipients.repository.js';
import { MessagesRepository } from './messages.repository.js';

const STORED_MS = 400 * 24 * 60 * 60 * 1000;
/** The number of messages that are read at a time. */
const atOnce = 100;

/** Deletes messages that ended more than 400 days ago, with their recipients. */
@Injectable()
export class MessagesRetentionCron {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesRepository,
    private readonly recipients: MessageRecipientsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'messages.delete-old', crontab: '31 4 * * *' })
  async deleteOld(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - STORED_MS);
    for (;;) {
      const old = await this.messages.endedBefore(before, atOnce);
      for (const message of old) {
        await deleteInBatches(this.database, (tx, limit) => this.recipients.deleteSome(tx, message, limit));
        await this.database.transaction((tx) => this.messages.delete(tx, message));
      }
      if (old.length < atOnce) return;
    }
  }
}
