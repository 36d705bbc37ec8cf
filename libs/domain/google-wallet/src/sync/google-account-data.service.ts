import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';
import { GoogleSyncQueue } from './google-sync-queue.handlers.js';

/**
 * Registers the Google resources of an account for export and deletion. A deletion keeps the rows until the passes at
 * Google are empty and void.
 */
@Injectable()
export class GoogleAccountDataService implements OnModuleInit {
  constructor(
    private readonly data: AccountData,
    private readonly google: GoogleSyncQueue,
  ) {}

  onModuleInit(): void {
    const staysUntilNotified = true;
    this.data.add({
      floor: 22,
      steps: [
        { table: 'google_callback', key: ['nonce_hash'], hidden: 'all', staysUntilNotified },
        { table: 'google_resource', key: ['issuer_id', 'id'], hidden: ['sent_hash'], staysUntilNotified },
      ],
      emptied: (tx, accountId) => this.google.accountChanged(tx, accountId),
    });
  }
}
