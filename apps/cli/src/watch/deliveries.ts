import type { DeliveryResponse, Passwright } from '@passwright/client';
import type { Output } from '../output.js';
import { pauseFor, type WatchedEvent } from './stream.js';

const everyMs = 2_000;
const forMs = 60_000;
/** The maximum number of changes to follow simultaneously. */
const most = 20;
const changing = /^pass\.(changed|voided|unvoided|redeemed|expired)$/;

/** The state of a delivery in one line. `over` is true if the state is final. */
export interface DeliverySummary {
  text: string;
  over: boolean;
}

/** Summarises how many wallets have a change, and what prevents the others from getting it. */
export function summaryOf({ devices, push, walletB, nextCursor }: DeliveryResponse): DeliverySummary {
  const reached = devices.filter(({ verdict }) => verdict === 'up_to_date').length;
  const off = devices.filter(({ verdict }) => verdict === 'updates_off').length;
  const expected = devices.length - off;
  const parts: string[] = [];
  if (devices.length > 0) parts.push(`Apple: ${reached} of ${expected}${nextCursor ? '+' : ''} devices have it`);
  if (off > 0) parts.push(`${off} take no updates`);
  if (expected > reached && push.state !== 'on')
    parts.push(`push is ${push.state}${push.reason ? `: ${push.reason}` : ''}`);
  const rejected = devices.map(({ pushed }) => pushed?.reason).find((reason) => reason);
  if (rejected) parts.push(`push rejected: ${rejected}`);
  if (walletB.state !== 'none') parts.push(`Google: ${googleWords[walletB.state]}`);
  if (walletB.state === 'refused' && walletB.problem) parts.push(walletB.problem);
  const waits = walletB.state === 'waiting' || (expected > reached && push.state !== 'off');
  return { text: parts.join('; ') || 'no wallet has this pass', over: !waits };
}

const googleWords = { none: '', current: 'has it', waiting: 'on its way', refused: 'rejected' };

/** Follows the delivery of changes to wallets, each for at most a minute. Prints each new state once. */
export class Deliveries {
  private readonly following = new Map<string, Promise<void>>();
  private readonly stop = new AbortController();

  constructor(
    private readonly client: Pick<Passwright, 'getPassDelivery'>,
    private readonly output: Output,
    signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.stop.abort(), { once: true });
  }

  follow({ type, data }: WatchedEvent): void {
    const { templateId, passId } = data;
    if (!changing.test(type) || typeof templateId !== 'string' || typeof passId !== 'string') return;
    const name = `${templateId}/${passId}`;
    if (this.following.has(name)) return;
    if (this.following.size >= most)
      return this.output.note(`The delivery to ${name} is not shown, because ${most} others are in progress.`);
    const end = this.reported(templateId, passId).finally(() => this.following.delete(name));
    this.following.set(name, end);
  }

  /** Stops following changes. Never rejects. */
  async end(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.following.values());
  }

  private async reported(templateId: string, passId: string): Promise<void> {
    const { signal } = this.stop;
    let last = '';
    for (let waitedMs = 0; !signal.aborted && waitedMs <= forMs; waitedMs += everyMs) {
      // Ignore the error, because the stream of events reports a deleted pass and an unavailable service.
      const delivery = await this.client.getPassDelivery({ templateId, passId, signal }).catch(() => null);
      if (!delivery) return;
      const { text, over } = summaryOf(delivery);
      if (text !== last) this.show(templateId, passId, text, delivery);
      last = text;
      if (over) return;
      await pauseFor(everyMs, signal);
    }
    if (!signal.aborted)
      this.output.note(`${templateId}/${passId} is not complete after a minute; its delivery is no longer shown.`);
  }

  private show(templateId: string, passId: string, text: string, delivery: DeliveryResponse): void {
    this.output.item({ type: 'delivery', templateId, passId, summary: text, delivery });
    this.output.line(this.output.style('dim', `          → ${templateId}/${passId}  ${text}`));
  }
}
