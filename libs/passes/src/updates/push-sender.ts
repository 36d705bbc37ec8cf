import { Injectable, Logger } from '@nestjs/common';
import { ApplePush, Clock, Signer } from '@passwright/core';
import { Database, type JobContext, JobHandler, Jobs } from '@passwright/database';
import { PassesOptions } from '../passes.options.js';
import { PushHaltsRepository } from './push-halts.repository.js';
import { defaultPacing, type PushPacing } from './push-pacing.js';
import { PushQueueRepository } from './push-queue.repository.js';
import { type PushedDevice, pushAll, pushPages } from './push-run.js';
import { departureOf, settlementOf } from './push-settlement.js';
import { ApplePushDue } from './updates.jobs.js';

/** How long one job may take before it leaves the rest to another, so that accounts take turns. */
const sliceMs = 10_000;
/** What is due later than that is found by the schedule, which looks every minute. */
const soonMs = 60_000;
/** How many devices are looked at to find one to probe with. */
const probePage = 20;

/** Pushes the devices of an account that are due. On one node, one job at a time does so for an account. */
@Injectable()
export class PushSender {
  private readonly logger = new Logger('ApplePush');
  /** The accounts that are being served here, and whether to look again before it ends. */
  private readonly serving = new Map<string, { again: boolean }>();

  private readonly pacing: PushPacing;

  constructor(
    options: PassesOptions,
    private readonly database: Database,
    private readonly queue: PushQueueRepository,
    private readonly halts: PushHaltsRepository,
    private readonly push: ApplePush,
    private readonly signer: Signer,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    this.pacing = options.push ?? defaultPacing;
  }

  @JobHandler(ApplePushDue)
  async send({ accountId }: ApplePushDue['payload'], { signal }: JobContext): Promise<void> {
    const served = this.serving.get(accountId);
    if (served) {
      served.again = true;
      return;
    }
    // Whoever comes from here on is served by a run of its own.
    const pauseSeconds = await this.serveInTurn(accountId, signal);
    if (pauseSeconds !== null) await this.leaveTheRest(accountId, pauseSeconds);
  }

  /** @returns as `serve` */
  private async serveInTurn(accountId: string, signal: AbortSignal): Promise<number | null> {
    const turn = { again: false };
    this.serving.set(accountId, turn);
    const endsAt = this.clock.now().getTime() + sliceMs;
    const mayContinue = () => !signal.aborted && this.clock.now().getTime() < endsAt;
    try {
      let pauseSeconds: number | null;
      do {
        turn.again = false;
        pauseSeconds = await this.serve(accountId, mayContinue);
      } while (turn.again && pauseSeconds === 0 && mayContinue());
      return pauseSeconds;
    } finally {
      this.serving.delete(accountId);
    }
  }

  /** @returns after which pause to go on, usually 0; null while the push service refuses the account's certificate */
  private async serve(accountId: string, mayContinue: () => boolean): Promise<number | null> {
    const fingerprint = await this.fingerprint(accountId);
    if (!(await this.mayPush(accountId, fingerprint))) return null;
    const { refusal, pauseSeconds } = await pushPages({
      claim: (size) => this.claim(accountId, size),
      push: (devices) => pushAll(this.push, accountId, devices),
      record: (pushed) => this.record(accountId, pushed),
      mayContinue,
      now: () => this.clock.now(),
    });
    if (refusal) await this.halt(accountId, fingerprint, refusal.reason);
    return refusal ? null : pauseSeconds;
  }

  /** Whether there is no halt, or it ends now: with another certificate, or as a probe gets through. */
  private async mayPush(accountId: string, fingerprint: string): Promise<boolean> {
    const halt = await this.halts.find(accountId);
    if (!halt) return true;
    if (halt.fingerprint === fingerprint) {
      if (!(await this.halts.takeProbe(accountId, this.clock.now()))) return false;
      if (!(await this.probe(accountId, fingerprint))) return false;
    }
    await this.halts.end(accountId);
    this.logger.log(`Pushes of account ${accountId} go on, which were halted since ${halt.since.toISOString()}`);
    return true;
  }

  /** Pushes one device. @returns whether the push service takes the certificate */
  private async probe(accountId: string, fingerprint: string): Promise<boolean> {
    const { devices } = await this.claim(accountId, probePage);
    const [first, ...others] = devices;
    if (!first) return false;
    const answer = await this.push.push(accountId, first.pushToken);
    // A token may seem bad because the certificate is of another environment: that is not held against the device.
    const outcome = answer.outcome === 'bad_token' ? 'retry' : answer.outcome;
    const left = others.map((device) => ({ device, answer: null }));
    await this.record(accountId, [{ device: first, answer: { ...answer, outcome } }, ...left]);
    if (outcome === 'halted') await this.halt(accountId, fingerprint, answer.reason);
    return outcome === 'accepted' || outcome === 'gone' || outcome === 'off';
  }

  private claim(accountId: string, size: number) {
    const now = this.clock.now();
    return this.database.transaction((tx) => this.queue.claim(tx, accountId, size, now, this.pacing));
  }

  private async record(accountId: string, pushed: readonly PushedDevice[]): Promise<void> {
    if (pushed.length === 0) return;
    const now = this.clock.now();
    const departures = pushed.flatMap(({ device, answer }) => departureOf(device, answer) ?? []);
    const settlements = pushed.map(({ device, answer }) => settlementOf(device, answer, now, this.pacing));
    await this.database.transaction(async (tx) => {
      // First, as it locks all of them in their order.
      await this.queue.settle(tx, accountId, settlements);
      await this.queue.forget(tx, accountId, departures, now);
    });
  }

  private async halt(accountId: string, fingerprint: string, reason: string | null): Promise<void> {
    const why = reason ?? 'the push service refuses the certificate';
    const isNew = await this.halts.halt(accountId, fingerprint, why, this.clock.now());
    if (!isNew) return;
    this.logger.error(
      `Pushes of account ${accountId} are halted: ${why}. Its devices stay registered, and learn of changes when the ` +
        'certificate is replaced or taken again.',
    );
  }

  private async leaveTheRest(accountId: string, pauseSeconds: number): Promise<void> {
    const due = await this.queue.nextDue(accountId);
    const now = this.clock.now().getTime();
    if (!due || due.getTime() > now + soonMs) return;
    const at = Math.max(due.getTime(), now + pauseSeconds * 1000);
    const job = new ApplePushDue({ accountId }, at > now ? new Date(at) : undefined);
    await this.database.transaction((tx) => this.jobs.add(tx, job));
  }

  /** Of the certificate that the account has now; without one that can be used there is still one answer. */
  private async fingerprint(accountId: string): Promise<string> {
    return this.signer.identity(accountId).then(
      (identity) => identity.fingerprint,
      () => 'none',
    );
  }
}
