import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import type { TurnEnd } from './delivery-turns.service.js';

/**
 * So many webhooks have their turns at the same time: one that does not answer takes one of these places, and no other's.
 * Nor do those of one share, which all accounts of a founder have between them: it never has more places than it leaves
 * free, 16 of them when it is alone, so that however many of its receivers hang, the next account finds some.
 */
const WEBHOOKS_AT_ONCE = 32;

/** What a run leaves: now, or at `at`. */
export interface LeftWebhook {
  readonly ref: WebhookRef;
  readonly at: Date | null;
}

interface Due {
  readonly ref: WebhookRef;
  /** The key of the fair share that its turn counts for. */
  readonly share: string;
}

interface Turn {
  readonly share: string;
  /** Whether something more was asked for since it began. */
  again: boolean;
}

/**
 * The turns of one job, one webhook after the other in the order in which they came, several at once. Webhooks of other
 * jobs join in while it goes on, so that however many are due, a node gives them one of its places for jobs.
 */
export class SendingRun {
  private readonly waiting = new Map<string, Due>();
  private readonly serving = new Map<string, Turn>();
  private readonly later: LeftWebhook[] = [];
  private hasEnded = false;
  private finish: () => void = () => undefined;

  /** @param mayContinue whether there is time for another turn; @param serve one turn, which does not fail */
  constructor(
    private readonly mayContinue: () => boolean,
    private readonly serve: (ref: WebhookRef) => Promise<TurnEnd>,
  ) {}

  /** Resolves once nobody has anything to do, or the time is up. @returns what it leaves to others */
  async from(ref: WebhookRef, share: string): Promise<readonly LeftWebhook[]> {
    const ended = new Promise<void>((resolve) => (this.finish = resolve));
    this.add(ref, share);
    await ended;
    return [...[...this.waiting.values()].map(({ ref: left }) => ({ ref: left, at: null })), ...this.later];
  }

  /** @returns false when it is over, so that another run has to serve it */
  add(ref: WebhookRef, share: string): boolean {
    if (this.hasEnded || !this.mayContinue()) {
      this.endWhenDone();
      return false;
    }
    const turn = this.serving.get(keyOf(ref));
    if (turn) turn.again = true;
    else this.waiting.set(keyOf(ref), { ref, share });
    this.fill();
    return true;
  }

  private fill(): void {
    for (const [key, due] of this.waiting) {
      if (this.serving.size >= WEBHOOKS_AT_ONCE || !this.mayContinue()) break;
      if (!this.hasRoomFor(due)) continue;
      this.waiting.delete(key);
      void this.turn(key, due);
    }
    this.endWhenDone();
  }

  private hasRoomFor({ share }: Due): boolean {
    const taken = [...this.serving.values()].filter((turn) => turn.share === share).length;
    return taken < WEBHOOKS_AT_ONCE - this.serving.size;
  }

  private async turn(key: string, { ref, share }: Due): Promise<void> {
    const turn = { share, again: false };
    this.serving.set(key, turn);
    const { hasMore, nextAt } = await this.serve(ref);
    this.serving.delete(key);
    if (hasMore || turn.again) this.waiting.set(key, { ref, share });
    else if (nextAt) this.later.push({ ref, at: nextAt });
    this.fill();
  }

  private endWhenDone(): void {
    if (this.serving.size > 0 || (this.waiting.size > 0 && this.mayContinue())) return;
    this.hasEnded = true;
    this.finish();
  }
}

function keyOf({ accountId, webhookId }: WebhookRef): string {
  return `${accountId}/${webhookId}`;
}
