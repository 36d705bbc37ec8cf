import { Injectable, Logger } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Clock, loggedError } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs, type LeftKey, OutboundRunner } from '@passwright/jobs';
import { WebhookDue, type WebhookRef } from '../webhooks/webhooks.jobs.js';
import { SuspectDeliveries } from './deliveries.jobs.js';
import { DeliveryDispatch } from './delivery-dispatch.service.js';

/**
 * Maximum number of webhooks that a node serves at the same time. All accounts of one founder together get one fair
 * share of them.
 */
const WEBHOOKS_AT_ONCE = 32;
/** A job starts no time slice after this time. With its last attempt, a job takes at most half a minute. */
const SLICE_MS = 15_000;
/** The check that runs every minute handles deliveries that are due later than this. */
const SOON_MS = 60_000;

/** Sends due deliveries. Each node runs one job at a time, which also handles webhooks that become due meanwhile. */
@Injectable()
export class DeliverySenderHandlers {
  private readonly logger = new Logger('Webhooks');
  private readonly runner: OutboundRunner<WebhookRef>;

  constructor(
    private readonly dispatch: DeliveryDispatch,
    private readonly accounts: AccountsService,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    this.runner = new OutboundRunner({
      atOnce: WEBHOOKS_AT_ONCE,
      sliceMs: SLICE_MS,
      clock,
      idOf: ({ accountId, webhookId }) => `${accountId}/${webhookId}`,
      serve: (ref, slice) => this.dispatch.serve(ref, () => slice.mayContinue(), slice.signal),
      // The check that runs every minute retries the webhook.
      onError: (error) => this.logger.error({ err: loggedError(error) }),
    });
  }

  /**
   * Adds a webhook to the current run. If the process stops first, the check that runs every minute finds the webhook
   * again.
   */
  @JobHandler(WebhookDue)
  async send(ref: WebhookRef, { signal }: JobContext): Promise<void> {
    const share = await this.accounts.shareOf(ref.accountId);
    const end = await this.runner.run(signal, (scheduler) => scheduler.join(ref, share));
    if (end) await this.leaveTheRest(end.left);
  }

  /** Sends deliveries that may crash the process. Releases them to later claims if they cannot be sent now. */
  @JobHandler(SuspectDeliveries)
  async sendAlone({ ids, ...ref }: SuspectDeliveries['payload'], { signal }: JobContext): Promise<void> {
    await this.dispatch.serve(ref, () => !signal.aborted, signal, ids);
  }

  private async leaveTheRest(left: readonly LeftKey<WebhookRef>[]): Promise<void> {
    const now = this.clock.now();
    const jobs = left.flatMap(({ key, at }) => {
      if (at === null || at <= now) return new WebhookDue(key);
      return at.getTime() <= now.getTime() + SOON_MS ? new WebhookDue(key, at) : [];
    });
    if (jobs.length > 0) await this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
  }
}
