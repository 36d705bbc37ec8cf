import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { Database, deleteInBatches } from '@passwright/database';
import { KnownAddresses } from './known-addresses.repository.js';

/** Deletes, every hour, the IP addresses that have not been used for 180 days. */
@Injectable()
export class KnownAddressesCron {
  constructor(
    private readonly database: Database,
    private readonly addresses: KnownAddresses,
  ) {}

  @Scheduled({ name: 'known-addresses.delete-old', crontab: '47 * * * *' })
  async deleteOld(): Promise<void> {
    await deleteInBatches(this.database, (tx, limit) => this.addresses.deleteOld(tx, limit));
  }
}
