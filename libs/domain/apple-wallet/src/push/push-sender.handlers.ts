import { Injectable } from '@nestjs/common';
import { ApplePush, Clock, currentTrace, linkTrace, Signer, WalletUnavailable } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import { PushCircuitBreaker, type PushSenderIdentity } from './push-circuit-breaker.js';
import { claimsOf, PushPages } from './push-pages.service.js';
import { PushQueueRepository } from './push-queue.repository.js';
import { judged, type PageSteps, pushAll, pushPages, type PushSliceEnd } from './push-slice.js';
import type { PushClaim } from './push-outcome.js';
import { RejectionWitness } from './rejection-witness.js';
import { ApplePushDue, SuspectPushPages } from './push.jobs.js';

/**
 * How long one job sends pushes for an account. Then a new job continues, so that other accounts are served in between.
 */
const sliceMs = 10_000;
/** The check that runs every minute handles devices that are due later than this. */
const soonMs = 60_000;

/** Sends pushes to the due devices of an account. Each node runs one job per account at a time. */
@Injectable()
export class PushSender {
  /**
   * The accounts for which this node is sending pushes. If `again` is true, the account is checked again before its
   * slice ends.
   */
  private readonly serving = new Map<string, { again: boolean; readonly trace: string | undefined }>();
  /** Rejections since the last accepted push, by account and certificate. */
  private readonly witnesses = new Map<string, RejectionWitness>();

  constructor(
    private readonly database: Database,
    private readonly queue: PushQueueRepository,
    private readonly pages: PushPages,
    private readonly breaker: PushCircuitBreaker,
    private readonly push: ApplePush,
    private readonly signer: Signer,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @JobHandler(ApplePushDue)
  async send({ accountId }: ApplePushDue['payload'], { signal }: JobContext): Promise<void> {
    const served = this.serving.get(accountId);
    if (served) {
      served.again = true;
      linkTrace(served.trace);
      return;
    }
    // A change that arrives after this slice gets its own slice.
    const pauseSeconds = await this.serveInTurn(accountId, signal);
    if (pauseSeconds !== null) await this.leaveTheRest(accountId, pauseSeconds);
  }

  /**
   * Sends the pushes of pages that are suspected of crashing processes. Releases the pages to later claims if they
   * cannot be sent now.
   */
  @JobHandler(SuspectPushPages)
  async sendAlone({ accountId, ids }: SuspectPushPages['payload']): Promise<void> {
    const sender = await this.senderOf(accountId);
    if (!sender || !(await this.breaker.mayPush(sender))) return this.pages.giveBack(accountId, ids);
    const { devices } = await this.pages.claimThese(sender, ids);
    if (devices.length === 0) return;
    await this.witnessed(sender, (witness) =>
      this.pages.whileClaimed(accountId, claimsOf(devices), async () => {
        const { outcomes, rejection } = judged(await pushAll(this.push, accountId, devices), witness);
        await this.pages.record(accountId, outcomes);
        return { rejection };
      }),
    );
  }

  /**
   * Runs `serve`, and runs it again if new jobs for the account arrived meanwhile.
   * @returns the same as `serve`
   */
  private async serveInTurn(accountId: string, signal: AbortSignal): Promise<number | null> {
    const turn = { again: false, trace: currentTrace() };
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

  /**
   * @returns the pause before the next slice, usually 0; null while the push service rejects the account's certificate
   */
  private async serve(accountId: string, mayContinue: () => boolean): Promise<number | null> {
    const sender = await this.senderOf(accountId);
    if (!sender || !(await this.breaker.mayPush(sender))) return null;
    const claims: PushClaim[] = [];
    const steps: Omit<PageSteps, 'witness'> = {
      claim: async (size) => {
        const page = await this.pages.claim(sender, size);
        claims.push(...claimsOf(page.devices));
        return page;
      },
      push: (devices) => pushAll(this.push, accountId, devices),
      record: (pushed) => this.pages.record(accountId, pushed),
      mayContinue,
      now: () => this.clock.now(),
    };
    const { rejection, pauseSeconds } = await this.witnessed(sender, (witness) =>
      this.pages.whileClaimed(accountId, claims, () => pushPages({ ...steps, witness })),
    );
    return rejection ? null : pauseSeconds;
  }

  /**
   * Runs a slice. Opens the circuit if the rejections of this and earlier slices show that the push service rejects
   * every push of the account.
   */
  private async witnessed<End extends Pick<PushSliceEnd, 'rejection'>>(
    sender: PushSenderIdentity,
    pushSlice: (witness: RejectionWitness) => Promise<End>,
  ): Promise<End> {
    const key = `${sender.accountId} ${sender.fingerprint}`;
    const witness = this.witnesses.get(key) ?? new RejectionWitness();
    const end = await pushSlice(witness.beginSlice());
    if (witness.hasSeenRejections) this.witnesses.set(key, witness);
    else this.witnesses.delete(key);
    if (end.rejection) await this.breaker.open(sender, end.rejection);
    return end;
  }

  /** Returns the sender for the account's current certificate; null if the account has no usable certificate. */
  private async senderOf(accountId: string): Promise<PushSenderIdentity | null> {
    try {
      return { ...(await this.signer.identity(accountId)), accountId };
    } catch (error) {
      if (!(error instanceof WalletUnavailable)) throw error;
      await this.breaker.openUnusable(accountId, error.message);
      return null;
    }
  }

  private async leaveTheRest(accountId: string, pauseSeconds: number): Promise<void> {
    const due = await this.queue.nextDue(accountId);
    const now = this.clock.now().getTime();
    if (!due || due.getTime() > now + soonMs) return;
    const at = Math.max(due.getTime(), now + pauseSeconds * 1000);
    const job = new ApplePushDue({ accountId }, at > now ? new Date(at) : undefined);
    await this.database.transaction((tx) => this.jobs.add(tx, job));
  }
}
