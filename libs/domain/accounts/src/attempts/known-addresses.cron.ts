import { Injectable } from '@nestjs/common';
import { Scheduled } from '@passwright/core';
import { KnownAddresses } from './known-addresses.repository.js';

/** Deletes old known addresses on a schedule. */
@Injectable()
export class KnownAddressesCron {
  constructor(private readonly addresses: KnownAddresses) {}

  @Scheduled({ name: 'known-addresses.delete-old', crontab: '47 * * * *' })
  deleteOld(): Promise<void> {
    return this.addresses.deleteOld();
  }
}
