import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { MessageSettings } from './message-settings.entity.js';

/** All queries on the table `message_settings`. */
@Injectable()
export class MessageSettingsRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string, tx: EntityManager = this.database.reads): Promise<MessageSettings | null> {
    return tx.findOneBy(MessageSettings, { accountId });
  }

  async save(tx: EntityManager, settings: MessageSettings): Promise<void> {
    await tx.upsert(MessageSettings, settings, ['accountId']);
  }
}
