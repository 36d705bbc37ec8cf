import { Injectable } from '@nestjs/common';
import { toBillingResponse, type BillingResponse } from './billing.dto.js';
import { BillingRepository } from './billing.repository.js';

/** What accounts pay for, and their limits. */
@Injectable()
export class BillingService {
  constructor(private readonly repository: BillingRepository) {}

  /** What holds for the account at present. */
  async of(accountId: string): Promise<BillingResponse> {
    return toBillingResponse(await this.repository.find(accountId));
  }
}
