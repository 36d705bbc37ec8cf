import { NodeExhausted } from '@passwright/http';
import { toWebhookEventResponse, type ReportedEvent } from '../events/webhook-event.dto.js';
import type { CallOutcome } from './webhook-sender.service.js';
import type { WebhookMessage } from './webhook-signature.js';
import type { ClaimedDelivery, DeliveryRecord } from './deliveries.repository.js';
import { deliveryRetries, heldUntil } from './delivery-retry-policy.js';

/** Number of deliveries of one webhook that are sent at the same time. */
const WIDTH = 8;
const GONE = 410;

/** The steps of a time slice. */
export interface DeliverySteps {
  /** Makes one attempt. @throws NodeExhausted if this node cannot send anything now */
  readonly post: (message: WebhookMessage) => Promise<CallOutcome>;
  /** Returns false once there is no time for another attempt. */
  readonly mayContinue: () => boolean;
  /** Aborted on shutdown. Attempts in progress then end early and do not count. */
  readonly stop: AbortSignal;
  readonly now: () => Date;
}

/** The results of a batch of deliveries and the state of the receiver. */
export interface DeliveryPageResult {
  readonly records: readonly DeliveryRecord[];
  readonly delivered: number;
  readonly failed: number;
  /** The time of the first failed attempt. */
  readonly failedAt: Date | null;
  readonly lastProblem: string | null;
  /** The end of a pause that the receiver has requested. */
  readonly heldUntil: Date | null;
  /** True if the receiver has responded with 410 Gone. */
  readonly isGone: boolean;
  /** True if this node had no free file handles or memory. Deliveries that it could not send count as not attempted. */
  readonly isExhausted: boolean;
}

/** Returns the message for an event, with the same bytes each time. */
export function messageOf(event: ReportedEvent): WebhookMessage {
  return { id: event.id, body: JSON.stringify(toWebhookEventResponse(event)) };
}

/**
 * Sends a batch of deliveries of one webhook. A delivery becomes due again if no time is left, or if the receiver does
 * not accept it now.
 */
export async function sendPage(page: readonly ClaimedDelivery[], steps: DeliverySteps): Promise<DeliveryPageResult> {
  const turn = new DeliveryPage(steps);
  const waiting = page.values();
  const lane = async () => {
    for (const delivery of waiting) await turn.take(delivery);
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, page.length) }, lane));
  return turn.result();
}

class DeliveryPage {
  private readonly records: DeliveryRecord[] = [];
  private failedAt: Date | null = null;
  private lastProblem: string | null = null;
  private heldUntil: Date | null = null;
  private isGone = false;
  private isExhausted = false;

  constructor(private readonly steps: DeliverySteps) {}

  async take(delivery: ClaimedDelivery): Promise<void> {
    const event = eventOf(delivery);
    if (!event) this.records.push(lost(delivery));
    else if (this.mustEnd) this.records.push(released(delivery));
    else this.records.push(await this.attempt(delivery, event));
  }

  result(): DeliveryPageResult {
    const { records, failedAt, lastProblem, heldUntil, isGone, isExhausted } = this;
    const tried = records.filter(({ attemptedAt }) => attemptedAt !== null);
    const delivered = tried.filter(({ arrived }) => arrived).length;
    const failed = tried.length - delivered;
    return { records, delivered, failed, failedAt, lastProblem, heldUntil, isGone, isExhausted };
  }

  private get mustEnd(): boolean {
    return this.heldUntil !== null || this.isGone || this.isExhausted || !this.steps.mayContinue();
  }

  private async attempt(delivery: ClaimedDelivery, event: ReportedEvent): Promise<DeliveryRecord> {
    const at = this.steps.now();
    const outcome = await this.post(event);
    if (!outcome || (this.steps.stop.aborted && outcome.statusCode === null)) return released(delivery);
    const now = this.steps.now();
    if (outcome.problem !== null) this.note(outcome, at, now);
    return attempted(delivery, outcome, at, now);
  }

  /** Makes one attempt. Returns null if this node could not send the event. */
  private async post(event: ReportedEvent): Promise<CallOutcome | null> {
    try {
      return await this.steps.post(messageOf(event));
    } catch (error) {
      if (!(error instanceof NodeExhausted)) throw error;
      this.isExhausted = true;
      return null;
    }
  }

  private note({ statusCode, problem, retryAfterSeconds }: CallOutcome, at: Date, now: Date): void {
    if (!this.failedAt || at < this.failedAt) this.failedAt = at;
    this.lastProblem = problem;
    this.isGone ||= statusCode === GONE;
    if (retryAfterSeconds !== null) this.heldUntil = heldUntil(now, retryAfterSeconds);
  }
}

function attempted(
  { eventId, attempts, dueAt }: ClaimedDelivery,
  { statusCode, problem, retryAfterSeconds }: CallOutcome,
  attemptedAt: Date,
  now: Date,
): DeliveryRecord {
  const arrived = problem === null;
  // 410 Gone disables the webhook. The delivery stays due until the webhook is enabled again.
  const next = statusCode === GONE ? dueAt : deliveryRetries.nextAttempt(attempts + 1, now, retryAfterSeconds);
  return { eventId, attempts: attempts + 1, dueAt: arrived ? null : next, attemptedAt, arrived, statusCode, problem };
}

/** Returns the event; null if it is no longer stored. */
function eventOf({ eventId: id, type, occurredAt, data }: ClaimedDelivery): ReportedEvent | null {
  return type === null || data === null ? null : { id, type, occurredAt, data };
}

/** Returns a delivery to its state before the claim. */
function released({ eventId, attempts, dueAt }: ClaimedDelivery): DeliveryRecord {
  return { eventId, attempts, dueAt, attemptedAt: null, arrived: false, statusCode: null, problem: null };
}

function lost({ eventId, attempts }: ClaimedDelivery): DeliveryRecord {
  const problem = 'The event is no longer stored.';
  return { eventId, attempts, dueAt: null, attemptedAt: null, arrived: false, statusCode: null, problem };
}
