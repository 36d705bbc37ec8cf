import { Injectable, Logger } from '@nestjs/common';
import { Clock, type GoogleIdentity } from '@passwright/core';
import { Database } from '@passwright/database';
import { type Circuit, CircuitBreaker, type CircuitKey, type CircuitState } from '@passwright/jobs';

const minuteMs = 60_000;

/** Stops writes while Google rejects a credential, and logs an error. */
@Injectable()
export class GoogleCircuitBreaker {
  private readonly logger = new Logger('GoogleWallet');

  private readonly circuits: CircuitBreaker;

  constructor(
    database: Database,
    private readonly clock: Clock,
  ) {
    this.circuits = new CircuitBreaker(database, {
      receiver: 'google',
      firstPauseMs: minuteMs,
      longestPauseMs: 60 * minuteMs,
      trialMs: minuteMs,
      forgottenMs: 24 * 60 * minuteMs,
    });
  }

  /** Returns the state of the circuit: closed, half-open for a single trial write, or open. */
  stateOf(identity: GoogleIdentity): Promise<CircuitState> {
    return this.circuits.stateOf(circuitOf(identity), this.clock.now());
  }

  /** Returns the open circuit of an account's writes with a credential; null if it is closed. */
  find(accountId: string, fingerprint: string): Promise<Circuit | null> {
    return this.circuits.find(accountId, fingerprint);
  }

  /** Deletes circuits whose credential is not in use or has no pending work. */
  forget(): Promise<void> {
    return this.circuits.forget(this.clock.now());
  }

  /**
   * Records the result of a write with the credential. @param rejection the error from Google if it rejected the
   * credential
   */
  async note(identity: GoogleIdentity, rejection: string | null, stored: boolean): Promise<void> {
    const { issuerId, clientEmail } = identity;
    if (rejection !== null) {
      if (!(await this.circuits.open(circuitOf(identity), rejection, this.clock.now()))) return;
      this.logger.error(
        `Google Wallet rejects ${clientEmail} for the issuer ${issuerId}: ${rejection}. Passes are issued as before, and ` +
          'what has changed is sent when the service account works again.',
      );
    } else if (stored && (await this.circuits.close(circuitOf(identity)))) {
      this.logger.log(`Google Wallet accepts writes of the issuer ${issuerId} again`);
    }
  }
}

/** Returns the key of a credential's circuit. All accounts with the credential share the circuit. */
function circuitOf({ fingerprint }: GoogleIdentity): CircuitKey {
  return { accountId: '', fingerprint };
}
