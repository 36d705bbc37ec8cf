import { Injectable, Logger } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Clock, loggedError } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import { WebhookDue, type WebhookRef } from '../webhooks/webhooks.jobs.js';
import { SuspectDeliveries } from './deliveries.jobs.js';
import { DeliveryTurns, type TurnEnd } from './delivery-turns.service.js';
import { type LeftWebhook, SendingRun } from './sending-run.js';

/** How long one job begins turns before it leaves the rest to another; with the last attempt it takes half a minute at most. */
const SLICE_MS = 15_000;
/** What is due later than that is found by the schedule, which looks every minute. */
const SOON_MS = 60_000;

/** Sends what is due. On one node, one job at a time does so, for all webhooks that are due meanwhile. */
@Injectable()
export class DeliverySenderHandlers {
  private readonly logger = new Logger('Webhooks');
  private running: SendingRun | null = null;

  constructor(
    private readonly turns: DeliveryTurns,
    private readonly accounts: AccountsService,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** When a run that it has joined does not come to it, as the process ends, the schedule finds it again. */
  @JobHandler(WebhookDue)
  async send(ref: WebhookRef, { signal }: JobContext): Promise<void> {
    const share = await this.accounts.shareOf(ref.accountId);
    if (this.running?.add(ref, share)) return;
    const endsAt = this.clock.now().getTime() + SLICE_MS;
    const mayContinue = () => !signal.aborted && this.clock.now().getTime() < endsAt;
    const run = new SendingRun(mayContinue, (next) => this.serve(next, mayContinue, signal));
    this.running = run;
    const left = await run.from(ref, share);
    if (this.running === run) this.running = null;
    await this.leaveTheRest(left);
  }

  /** Leaves what cannot be sent now to a later claim. */
  @JobHandler(SuspectDeliveries)
  async sendAlone({ ids, ...ref }: SuspectDeliveries['payload'], { signal }: JobContext): Promise<void> {
    await this.turns.serve(ref, () => !signal.aborted, signal, ids);
  }

  private async serve(ref: WebhookRef, mayContinue: () => boolean, stop: AbortSignal): Promise<TurnEnd> {
    try {
      return await this.turns.serve(ref, mayContinue, stop);
    } catch (error) {
      // Of one webhook, and no reason to leave the others: the schedule comes back to it.
      this.logger.error({ err: loggedError(error) });
      return { hasMore: false, nextAt: null };
    }
  }

  private async leaveTheRest(left: readonly LeftWebhook[]): Promise<void> {
    const now = this.clock.now();
    const jobs = left.flatMap(({ ref, at }) => {
      if (at === null || at <= now) return new WebhookDue(ref);
      return at.getTime() <= now.getTime() + SOON_MS ? new WebhookDue(ref, at) : [];
    });
    if (jobs.length > 0) await this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
  }
}
