import { Injectable, Logger } from '@nestjs/common';
import { ApplePush, Clock, type PushAnswer, type SigningIdentity } from '@passwright/core';
import type { PushHalt } from './push-halt.entity.js';
import { type HaltKey, PushHaltsRepository } from './push-halts.repository.js';
import { heldAgainstNone } from './push-run.js';
import { pageSize } from './push-page.entity.js';
import { claimsOf, PushPages } from './push-pages.js';
import type { ClaimedDevice } from './push-settlement.js';

/** An account and what it is known to the push service by. */
export type PushSenderIdentity = Pick<SigningIdentity, 'fingerprint' | 'passTypeIdentifier'> & {
  readonly accountId: string;
};

/** In place of the fingerprint of a certificate that cannot be used. */
const unusable = 'none';

/** Keeps pushes back while the push service refuses them, and finds out when it no longer does. */
@Injectable()
export class PushGate {
  private readonly logger = new Logger('ApplePush');

  constructor(
    private readonly halts: PushHaltsRepository,
    private readonly pages: PushPages,
    private readonly push: ApplePush,
    private readonly clock: Clock,
  ) {}

  /** Whether there is no halt, or it ends now, as a probe gets through. */
  async mayPush(sender: PushSenderIdentity): Promise<boolean> {
    const { accountId, fingerprint } = sender;
    const halt = await this.halts.find(accountId, fingerprint);
    if (!halt) return true;
    if (!(await this.halts.takeProbe(halt, this.clock.now()))) return false;
    if (!(await this.probe(sender, halt))) return false;
    await this.halts.end(accountId, fingerprint);
    this.logger.log(`Pushes of ${named(halt)} go on, which were halted since ${halt.since.toISOString()}`);
    return true;
  }

  /** A certificate that is refused is so for all who use it; refused pushes concern their account alone. */
  async halt({ accountId, fingerprint }: PushSenderIdentity, { outcome, reason }: PushAnswer): Promise<void> {
    const key = { accountId: outcome === 'halted' ? '' : accountId, fingerprint };
    await this.haltAs(key, reason ?? 'the push service refuses the certificate');
  }

  /** No probe tells when it can be used again: whoever pushes next finds out. */
  async haltUnusable(accountId: string, reason: string): Promise<void> {
    const known = await this.halts.find(accountId, unusable);
    if (known && known.retryAt > this.clock.now()) return;
    await this.haltAs({ accountId, fingerprint: unusable }, reason);
  }

  private async haltAs(key: HaltKey, reason: string): Promise<void> {
    if (!(await this.halts.halt(key, reason, this.clock.now()))) return;
    this.logger.error(
      `Pushes of ${named(key)} are halted: ${reason}. Devices stay registered, and learn of changes when the ` +
        'certificate is replaced or taken again.',
    );
  }

  /** Pushes one device, that whose last push is the longest ago. @returns whether the push service takes the certificate */
  private async probe(sender: PushSenderIdentity, halt: PushHalt): Promise<boolean> {
    const { devices } = await this.pages.claim(sender, pageSize);
    const [first, ...others] = [...devices].sort((a, b) => pushedAt(a) - pushedAt(b));
    if (!first) {
      await this.halts.returnProbe(halt, this.clock.now());
      return false;
    }
    return this.pages.whileClaimed(sender.accountId, claimsOf(devices), () =>
      this.pushFirst(sender, halt, first, others),
    );
  }

  private async pushFirst(
    sender: PushSenderIdentity,
    halt: PushHalt,
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

const pushedAt = (device: ClaimedDevice) => device.pushedAt?.getTime() ?? 0;

function named({ accountId, fingerprint }: HaltKey): string {
  if (fingerprint === unusable) return `account ${accountId}, whose certificate cannot be used,`;
  const certificate = `certificate ${fingerprint.slice(0, 16)}`;
  return accountId === '' ? `${certificate}, for all its accounts,` : `account ${accountId} with ${certificate}`;
}
