import { Injectable } from '@nestjs/common';
import { Signer } from '@passwright/core';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { PushCircuitsRepository } from './push-circuits.repository.js';

/** The state of an account's pushes. */
export interface PushState {
  readonly state: 'on' | 'off' | 'halted';
  /** The reason if pushes are stopped; otherwise null. */
  readonly reason: string | null;
  /** The time of the next attempt if pushes are stopped. */
  readonly retryAt: Date | null;
}

/** Reports whether the pushes of an account are sent. */
@Injectable()
export class PushStateService {
  constructor(
    private readonly options: AppleWalletOptions,
    private readonly circuits: PushCircuitsRepository,
    private readonly signer: Signer,
  ) {}

  async get(accountId: string): Promise<PushState> {
    const identity = await this.signer.identity(accountId).catch((error: Error) => error);
    if (identity instanceof Error) return { state: 'halted', reason: identity.message, retryAt: null };
    const circuit = await this.circuits.find(accountId, identity.fingerprint);
    if (circuit) return { state: 'halted', reason: circuit.reason, retryAt: circuit.retryAt };
    if (identity.development && !this.options.pushesDevelopmentPasses) {
      const reason = 'The certificate is a development one, which Apple does not know.';
      return { state: 'off', reason, retryAt: null };
    }
    return { state: 'on', reason: null, retryAt: null };
  }
}
