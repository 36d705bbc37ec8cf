import type { WebhookRef } from './deliveries.jobs.js';
import type { TurnEnd } from './delivery-turns.service.js';
import { SendingRun } from './sending-run.js';

/** A run whose turns end when they are told to. */
class Turns {
  readonly begun: WebhookRef[] = [];
  isOver = false;
  private readonly ends: ((end: TurnEnd) => void)[] = [];
  readonly run = new SendingRun(
    () => !this.isOver,
    (ref) => {
      this.begun.push(ref);
      return new Promise((resolve) => this.ends.push(resolve));
    },
  );

  countOf(account: string): number {
    return this.begun.filter(({ accountId }) => accountId === account).length;
  }

  /** Ends the turn that began first. */
  async endOne(): Promise<void> {
    this.ends.shift()?.({ hasMore: false, nextAt: null });
    await Promise.resolve();
  }
}

const webhooksOf = (accountId: string, count = 40) =>
  Array.from({ length: count }, (_, index): WebhookRef => ({ accountId, webhookId: `whk_${index}` }));

it('however many webhooks of an account hang, those of others that come later begin at once', () => {
  const turns = new Turns();
  const [first, ...rest] = webhooksOf('slow');
  void turns.run.from(first!);
  for (const ref of rest) turns.run.add(ref);
  expect(turns.countOf('slow')).toBe(16);
  for (const account of ['b', 'c', 'd', 'e']) {
    for (const ref of webhooksOf(account)) turns.run.add(ref);
    expect(turns.countOf(account)).toBeGreaterThan(0);
  }
  turns.run.add({ accountId: 'quick', webhookId: 'whk_1' });
  expect(turns.countOf('quick')).toBe(1);
  expect(turns.begun.length).toBeLessThanOrEqual(32);
});

it('those that an account had to leave have their turns as its others end, each once, and no one waits for ever', async () => {
  const turns = new Turns();
  const [first, ...rest] = webhooksOf('slow');
  const others = webhooksOf('other');
  const ended = turns.run.from(first!);
  for (const ref of [...rest, ...others]) turns.run.add(ref);
  for (let turn = 0; turn < 80; turn++) await turns.endOne();
  expect(await ended).toEqual([]);
  expect(turns.begun).toHaveLength(80);
  expect(new Set(turns.begun)).toEqual(new Set([first, ...rest, ...others]));
});

it('what has no turn when the time is up is left to another run', async () => {
  const turns = new Turns();
  const [first, ...rest] = webhooksOf('slow', 20);
  const ended = turns.run.from(first!);
  for (const ref of rest) turns.run.add(ref);
  turns.isOver = true;
  expect(turns.run.add({ accountId: 'quick', webhookId: 'whk_1' })).toBe(false);
  for (let turn = 0; turn < 16; turn++) await turns.endOne();
  expect((await ended).map(({ ref }) => ref)).toEqual(rest.slice(15));
});
