import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { CircuitBreaker } from '@passwright/jobs';

const minuteMs = 60_000;

/** The circuits of certificates and of accounts that use them. */
@Injectable()
export class PushCircuitsRepository extends CircuitBreaker {
  constructor(database: Database) {
    super(database, {
      receiver: 'apple',
      firstPauseMs: 15 * minuteMs,
      longestPauseMs: 60 * minuteMs,
      trialMs: minuteMs,
      forgottenMs: 60 * minuteMs,
    });
  }
}
