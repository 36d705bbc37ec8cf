import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import type { TurnEnd } from './delivery-turns.service.js';
import { SendingRun } from './sending-run.js';

/** The accounts `slow`, `slow-2` and so on are of one founder. */
const shareOf = ({ accountId }: WebhookRef) => accountId.replace(/-\d+$/, '');

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
  void turns.run.from(first!, shareOf(first!));
  for (const ref of rest) turns.run.add(ref, shareOf(ref));
  expect(turns.countOf('slow')).toBe(16);
  for (const account of ['b', 'c', 'd', 'e']) {
    for (const ref of webhooksOf(account)) turns.run.add(ref, shareOf(ref));
    expect(turns.countOf(account)).toBeGreaterThan(0);
  }
  turns.run.add({ accountId: 'quick', webhookId: 'whk_1' }, 'quick');
  expect(turns.countOf('quick')).toBe(1);
  expect(turns.begun.length).toBeLessThanOrEqual(32);
});

it('all accounts of a founder have one share between them', () => {
  const turns = new Turns();
  const [first, ...rest] = [1, 2, 3, 4, 5, 6, 7].flatMap((number) => webhooksOf(`slow-${number}`, 20));
  void turns.run.from(first!, shareOf(first!));
  for (const ref of rest) turns.run.add(ref, shareOf(ref));
  expect(turns.begun).toHaveLength(16);
  for (const ref of webhooksOf('quick', 5)) turns.run.add(ref, shareOf(ref));
  expect(turns.countOf('quick')).toBe(5);
});

it('those that an account had to leave have their turns as its others end, each once, and no one waits for ever', async () => {
  const turns = new Turns();
  const [first, ...rest] = webhooksOf('slow');
  const others = webhooksOf('other');
  const ended = turns.run.from(first!, shareOf(first!));
  for (const ref of [...rest, ...others]) turns.run.add(ref, shareOf(ref));
  for (let turn = 0; turn < 80; turn++) await turns.endOne();
  expect(await ended).toEqual([]);
  expect(turns.begun).toHaveLength(80);
  expect(new Set(turns.begun)).toEqual(new Set([first, ...rest, ...others]));
});

it('what has no turn when the time is up is left to another run', async () => {
  const turns = new Turns();
  const [first, ...rest] = webhooksOf('slow', 20);
  const ended = turns.run.from(first!, shareOf(first!));
  for (const ref of rest) turns.run.add(ref, shareOf(ref));
  turns.isOver = true;
  expect(turns.run.add({ accountId: 'quick', webhookId: 'whk_1' }, 'quick')).toBe(false);
  for (let turn = 0; turn < 16; turn++) await turns.endOne();
  expect((await ended).map(({ ref }) => ref)).toEqual(rest.slice(15));
});
