import { Injectable } from '@nestjs/common';
import { Clock, GoogleWallet, Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { GoogleCallbacksRepository } from './google-callbacks.repository.js';
import { parseGoogleId } from '../sync/google-ids.js';

/** Counts in how many wallets a pass was saved, and from how many it was removed. */
@Injectable()
export class GoogleCallbacksService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly callbacks: GoogleCallbacksRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes a callback down once, however often it comes. One about what is not ours is none of our business: Google would
   * only repeat it. @throws ValidationFailed, Unauthorized. @throws WalletUnavailable when it cannot be proved now
   */
  async receive(body: Uint8Array): Promise<void> {
    const { event, classId, objectId, nonce, expiresAt } = await this.google.readCallback(body);
    const { issuerId, id } = parseGoogleId(objectId);
    const accountId = await this.callbacks.findOwner(issuerId, id, parseGoogleId(classId));
    if (accountId === null) return;
    await this.database.transaction(async (tx) => {
      const isNew = await this.callbacks.insertNonce(tx, accountId, nonce, expiresAt);
      if (isNew) await this.callbacks.count(tx, { accountId, issuerId, id }, event);
    });
  }

  /** After its end a callback is refused for that. */
  @Scheduled({ name: 'google-wallet.forget-callbacks', crontab: '23 * * * *' })
  async forget(): Promise<void> {
    const now = this.clock.now();
    await deleteInBatches(this.database, (tx, limit) => this.callbacks.deleteExpired(tx, now, limit));
  }
}
