import { Injectable, Logger } from '@nestjs/common';
import { Clock, type GoogleIdentity } from '@passwright/core';
import { type GoogleHalt, GoogleHaltsRepository } from './google-halts.repository.js';

/** Keeps writes back while Google does not take a credential, and raises the alarm. */
@Injectable()
export class GoogleCircuitBreaker {
  private readonly logger = new Logger('GoogleWallet');

  constructor(
    private readonly halts: GoogleHaltsRepository,
    private readonly clock: Clock,
  ) {}

  /** Whether writes may go: freely, one at a time to see whether the credential works again, or not at all for a while. */
  async stateOf({ fingerprint }: GoogleIdentity): Promise<'open' | 'probe' | 'halted'> {
    const halt = await this.halts.find(fingerprint);
    if (!halt) return 'open';
    return halt.retryAt > this.clock.now() ? 'halted' : 'probe';
  }

  /** What holds the credential's writes back; null when nothing does. */
  haltOf({ fingerprint }: GoogleIdentity): Promise<GoogleHalt | null> {
    return this.halts.find(fingerprint);
  }

  /** Halts that nobody asks about any more go: their credential is not in use, or nothing waits for it. */
  forget(): Promise<void> {
    return this.halts.forget(this.clock.now());
  }

  /** Takes down what a write with the credential came to. @param halted what Google said when it did not take it */
  async note(
    { fingerprint, issuerId, clientEmail }: GoogleIdentity,
    halted: string | null,
    stored: boolean,
  ): Promise<void> {
    if (halted !== null) {
      if (!(await this.halts.halt(fingerprint, halted, this.clock.now()))) return;
      this.logger.error(
        `Google Wallet refuses ${clientEmail} for the issuer ${issuerId}: ${halted}. Passes are issued as before, and ` +
          'what has changed is sent when the service account works again.',
      );
    } else if (stored && (await this.halts.end(fingerprint))) {
      this.logger.log(`Google Wallet takes writes of the issuer ${issuerId} again`);
    }
  }
}
