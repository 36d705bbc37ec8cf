import { Injectable, Logger } from '@nestjs/common';
import { ApplePush, Clock, type PushAnswer, type SigningIdentity } from '@passwright/core';
import type { Circuit, CircuitKey } from '@passwright/jobs';
import { PushCircuitsRepository } from './push-circuits.repository.js';
import { heldAgainstNone } from './push-run.js';
import { pageSize } from './push-page.entity.js';
import { claimsOf, PushPages } from './push-pages.service.js';
import type { ClaimedDevice } from './push-settlement.js';

/** An account and what it is known to the push service by. */
export type PushSenderIdentity = Pick<SigningIdentity, 'fingerprint' | 'passTypeIdentifier'> & {
  readonly accountId: string;
};

const OTHER_ENVIRONMENT = 'the push service is not of the environment that the certificate and the phones belong to';
/** The pause before the first trial when two devices alone may be at fault. */
const soonMs = 60_000;
/** In place of the fingerprint of a certificate that cannot be used. */
const unusable = 'none';

/** Keeps pushes back while the push service refuses them, and finds out when it no longer does. */
@Injectable()
export class PushCircuitBreaker {
  private readonly logger = new Logger('ApplePush');

  constructor(
    private readonly circuits: PushCircuitsRepository,
    private readonly pages: PushPages,
    private readonly push: ApplePush,
    private readonly clock: Clock,
  ) {}

  /** Whether there is no halt, or it ends now, as a probe gets through. */
  async mayPush(sender: PushSenderIdentity): Promise<boolean> {
    const { accountId, fingerprint } = sender;
    const halt = await this.circuits.find(accountId, fingerprint);
    if (!halt) return true;
    if (!(await this.circuits.takeTrial(halt, this.clock.now()))) return false;
    if (!(await this.probe(sender, halt))) return false;
    await this.circuits.close(sender);
    this.logger.log(`Pushes of ${named(halt)} go on, which were halted since ${halt.since.toISOString()}`);
    return true;
  }

  /** A certificate that is refused is so for all who use it; refused pushes concern their account alone. */
  async halt({ accountId, fingerprint }: PushSenderIdentity, { outcome, reason }: PushAnswer): Promise<void> {
    const key = { accountId: outcome === 'halted' ? '' : accountId, fingerprint };
    const isBadToken = outcome === 'bad_token';
    const why = reason ?? 'the push service refuses the certificate';
    await this.haltAs(key, isBadToken ? `${why}: ${OTHER_ENVIRONMENT}` : why, isBadToken ? soonMs : undefined);
  }

  /** No probe tells when it can be used again: whoever pushes next finds out. */
  async haltUnusable(accountId: string, reason: string): Promise<void> {
    const known = await this.circuits.find(accountId, unusable);
    if (known && known.retryAt > this.clock.now()) return;
    await this.haltAs({ accountId, fingerprint: unusable }, reason);
  }

  private async haltAs(key: CircuitKey, reason: string, firstPauseMs?: number): Promise<void> {
    if (!(await this.circuits.open(key, reason, this.clock.now(), firstPauseMs))) return;
    this.logger.error(
      `Pushes of ${named(key)} are halted: ${reason}. Devices stay registered, and learn of changes when the ` +
        'certificate is replaced or taken again.',
    );
  }

  /**
   * Pushes one device: one without failures if there is one, and of those the one whose last push is the longest ago.
   * @returns whether the push service takes the certificate
   */
  private async probe(sender: PushSenderIdentity, halt: Circuit): Promise<boolean> {
    const { devices } = await this.pages.claim(sender, pageSize);
    const [first, ...others] = [...devices].sort(likelierFirst);
    if (!first) {
      await this.circuits.returnTrial(halt, this.clock.now());
      return false;
    }
    return this.pages.whileClaimed(sender.accountId, claimsOf(devices), () =>
      this.pushFirst(sender, halt, first, others),
    );
  }

  private async pushFirst(
    sender: PushSenderIdentity,
    halt: Circuit,
    first: ClaimedDevice,
    others: readonly ClaimedDevice[],
  ): Promise<boolean> {
    const answer = await this.push.push(sender.accountId, first.pushToken);
    // A token may seem bad because the certificate is of another environment: that is not held against the device.
    const { outcome } = heldAgainstNone(answer.outcome === 'bad_token' ? { ...answer, outcome: 'retry' } : answer);
    const left = others.map((device) => ({ device, answer: null }));
    await this.pages.record(sender.accountId, [{ device: first, answer: { ...answer, outcome } }, ...left]);
    // What is wrong with one token tells nothing of the certificate.
    if (outcome === 'halted' || (outcome === 'refused' && halt.accountId !== '')) await this.halt(sender, answer);
    return outcome === 'accepted' || outcome === 'gone' || outcome === 'off';
  }
}

/** A device that was never pushed comes after those whose last push was accepted: anybody can register with a bad token. */
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
