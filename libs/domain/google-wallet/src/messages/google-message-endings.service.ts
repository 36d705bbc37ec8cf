import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Listeners } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { type EndedMessage, GoogleMessageListener } from './google-message.listener.js';

/** Reports the outcomes of messages to listeners. */
@Injectable()
export class GoogleMessageEndings {
  private readonly listeners: Listeners<GoogleMessageListener>;

  constructor(
    discovery: DiscoveryService,
    private readonly database: Database,
  ) {
    this.listeners = new Listeners(discovery, GoogleMessageListener);
  }

  /**
   * Reports outcomes in a separate transaction, before another transaction records them with the objects. If the
   * process crashes in between, the next write reports them again.
   */
  async report(ended: readonly EndedMessage[]): Promise<void> {
    if (ended.length > 0) await this.database.transaction((tx) => this.reportIn(tx, ended));
  }

  /**
   * Reports outcomes in the given transaction, which must not have locked an object yet. Code that sends a message
   * locks the message before its objects, so the opposite order could deadlock.
   */
  async reportIn(tx: EntityManager, ended: readonly EndedMessage[]): Promise<void> {
    if (ended.length === 0) return;
    for (const listener of this.listeners.all) await listener.messagesEnded(tx, ended);
  }
}
