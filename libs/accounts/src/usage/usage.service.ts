import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { UsageRepository } from './usage.repository.js';

/** What an account uses at a moment. */
export interface Usage {
  /** Passes created in the current billing period, those that were deleted since too. */
  readonly passCreations: number;
  /** Passes that are neither void nor expired. */
  readonly activePasses: number;
}

/** What accounts use, right to the unit, from counters. */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly clock: Clock,
  ) {}

  /** Zeros for an account that there is not. */
  now(accountId: string): Promise<Usage> {
    return this.repository.now(accountId, this.clock.now());
  }
}
