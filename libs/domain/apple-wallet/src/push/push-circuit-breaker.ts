import { Injectable, Logger } from '@nestjs/common';
import { ApplePush, Clock, type PushResult, type SigningIdentity } from '@passwright/core';
import type { Circuit, CircuitKey } from '@passwright/jobs';
import { PushCircuitsRepository } from './push-circuits.repository.js';
import { heldAgainstNone } from './push-slice.js';
import { pageSize } from './push-page.entity.js';
import { claimsOf, PushPages } from './push-pages.service.js';
import type { ClaimedDevice } from './push-outcome.js';

/** An account and the identity with which it sends pushes. */
export type PushSenderIdentity = Pick<SigningIdentity, 'fingerprint' | 'passTypeIdentifier'> & {
  readonly accountId: string;
};

const OTHER_ENVIRONMENT = 'the push service is not of the environment that the certificate and the phones belong to';
/**
 * The pause before the first trial push if only two devices were rejected, because perhaps only their tokens are wrong.
 */
const soonMs = 60_000;
/** The fingerprint under which the circuit of an unusable certificate is stored. */
const unusable = 'none';

/** Stops pushes while the push service rejects them, and checks when it accepts them again. */
@Injectable()
export class PushCircuitBreaker {
  private readonly logger = new Logger('ApplePush');

  constructor(
    private readonly circuits: PushCircuitsRepository,
    private readonly pages: PushPages,
    private readonly push: ApplePush,
    private readonly clock: Clock,
  ) {}

  /** Returns true if the circuit is closed. Runs a due trial push, which closes the circuit if it succeeds. */
  async mayPush(sender: PushSenderIdentity): Promise<boolean> {
    const { accountId, fingerprint } = sender;
    const circuit = await this.circuits.find(accountId, fingerprint);
    if (!circuit) return true;
    if (!(await this.circuits.takeTrial(circuit, this.clock.now()))) return false;
    if (!(await this.tryOne(sender, circuit))) return false;
    await this.circuits.close(sender);
    this.logger.log(
      `Pushes of ${named(circuit)} continue; their circuit was open since ${circuit.since.toISOString()}`,
    );
    return true;
  }

  /**
   * Opens the circuit of all accounts that share the certificate if Apple rejects the certificate. If Apple rejects
   * only this account's pushes, opens only its circuit.
   */
  async open({ accountId, fingerprint }: PushSenderIdentity, { outcome, reason }: PushResult): Promise<void> {
    const key = { accountId: outcome === 'credential_rejected' ? '' : accountId, fingerprint };
    const isBadToken = outcome === 'bad_token';
    const why = reason ?? 'the push service rejects the certificate';
    await this.openAs(key, isBadToken ? `${why}: ${OTHER_ENVIRONMENT}` : why, isBadToken ? soonMs : undefined);
  }

  /**
   * Opens the circuit of an account with an unusable certificate. It has no trial pushes, because each job checks the
   * certificate anyway.
   */
  async openUnusable(accountId: string, reason: string): Promise<void> {
    const known = await this.circuits.find(accountId, unusable);
    if (known && known.retryAt > this.clock.now()) return;
    await this.openAs({ accountId, fingerprint: unusable }, reason);
  }

  private async openAs(key: CircuitKey, reason: string, firstPauseMs?: number): Promise<void> {
    if (!(await this.circuits.open(key, reason, this.clock.now(), firstPauseMs))) return;
    this.logger.error(
      `The circuit of the pushes of ${named(key)} is open: ${reason}. Devices stay registered, and are notified of ` +
        'changes when the certificate is replaced or accepted again.',
    );
  }

  /**
   * Runs a trial push to one device: of the devices without failures, if any, the device with the oldest last push.
   * @returns true if the push service accepts the certificate
   */
  private async tryOne(sender: PushSenderIdentity, circuit: Circuit): Promise<boolean> {
    const { devices } = await this.pages.claim(sender, pageSize);
    const [first, ...others] = [...devices].sort(likelierFirst);
    if (!first) {
      await this.circuits.returnTrial(circuit, this.clock.now());
      return false;
    }
    return this.pages.whileClaimed(sender.accountId, claimsOf(devices), () =>
      this.pushFirst(sender, circuit, first, others),
    );
  }

  private async pushFirst(
    sender: PushSenderIdentity,
    circuit: Circuit,
    first: ClaimedDevice,
    others: readonly ClaimedDevice[],
  ): Promise<boolean> {
    const result = await this.push.push(sender.accountId, first.pushToken);
    // Do not count a bad token against the device, because the certificate may belong to another environment.
    const { outcome } = heldAgainstNone(result.outcome === 'bad_token' ? { ...result, outcome: 'retry' } : result);
    const left = others.map((device) => ({ device, result: null }));
    await this.pages.record(sender.accountId, [{ device: first, result: { ...result, outcome } }, ...left]);
    // Do not prolong the certificate's circuit after a rejected push, because Apple may accept the certificate itself.
    const isRejected = outcome === 'credential_rejected' || (outcome === 'rejected' && circuit.accountId !== '');
    if (isRejected) await this.open(sender, result);
    return outcome === 'accepted' || outcome === 'gone' || outcome === 'off';
  }
}

/**
 * Orders devices for a trial push: first those whose last push was accepted, and last those that were never pushed,
 * because anyone can register a bad token.
 */
function likelierFirst(a: ClaimedDevice, b: ClaimedDevice): number {
  return doubt(a) - doubt(b) || (a.pushedAt?.getTime() ?? 0) - (b.pushedAt?.getTime() ?? 0);
}

function doubt({ pushedAt, failures, badTokens }: ClaimedDevice): number {
  if (failures > 0 || badTokens > 0) return 2;
  return pushedAt ? 0 : 1;
}

function named({ accountId, fingerprint }: CircuitKey): string {
  if (fingerprint === unusable) return `account ${accountId}, whose certificate cannot be used,`;
  const certificate = `certificate ${fingerprint.slice(0, 16)}`;
  return accountId === '' ? `${certificate}, for all its accounts,` : `account ${accountId} with ${certificate}`;
}
