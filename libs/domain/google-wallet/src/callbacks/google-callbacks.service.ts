import { Injectable } from '@nestjs/common';
import { GoogleWallet } from '@passwright/core';
import { Database } from '@passwright/database';
import { GoogleCallbacksRepository } from './google-callbacks.repository.js';
import { parseGoogleId } from '../sync/google-ids.js';

/** Counts how many wallets have saved a pass and how many have removed it. */
@Injectable()
export class GoogleCallbacksService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly callbacks: GoogleCallbacksRepository,
    private readonly database: Database,
  ) {}

  /**
   * Records a callback once, however often it arrives. Ignores a callback about an unknown object, because an error
   * would make Google send it again.
   * @throws ValidationFailed, Unauthorized.
   * @throws WalletUnavailable if the signature cannot be verified now
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
}
