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
   * Reports outcomes in a separate transaction, before another transaction stores them with the objects. After a crash
   * in between, the next write reports them again.
   */
  async report(ended: readonly EndedMessage[]): Promise<void> {
    if (ended.length > 0) await this.database.transaction((tx) => this.reportIn(tx, ended));
  }

  /**
   * Reports outcomes in the given transaction. Call it before the transaction locks an object: other code locks
   * messages before objects, so the opposite order could deadlock.
   */
  async reportIn(tx: EntityManager, ended: readonly EndedMessage[]): Promise<void> {
    if (ended.length === 0) return;
    for (const listener of this.listeners.all) await listener.messagesEnded(tx, ended);
  }
}
