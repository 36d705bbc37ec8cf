import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { Billing } from './billing.entity.js';

@Injectable()
export class BillingRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<Billing | null> {
    return this.database.reads.findOneBy(Billing, { accountId });
  }
}
