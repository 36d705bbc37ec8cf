import { setImmediate as settled } from 'node:timers/promises';
import { Clock } from '@passwright/core';
import { FairScheduler, type FairSchedulerOptions, type TurnEnd } from './fair-scheduler.js';
import { SlowShares } from './slow-shares.js';

interface Ref {
  readonly accountId: string;
  readonly webhookId: string;
}

/** Maps the accounts `slow`, `slow-2` and so on to one founder. */
const shareOf = ({ accountId }: Ref) => accountId.replace(/-\d+$/, '');

class TestClock extends Clock {
  ms = 0;

  now(): Date {
    return new Date(this.ms);
  }
}

/** A scheduler whose turns the test ends. */
class Turns {
  readonly begun: Ref[] = [];
  readonly errors: unknown[] = [];
  readonly clock = new TestClock();
  run: FairScheduler<Ref>;
  private readonly slow = new SlowShares(this.clock);
  private readonly options: FairSchedulerOptions<Ref>;
  private readonly ends: { resolve: (end: TurnEnd) => void; reject: (error: Error) => void }[] = [];

  constructor(options: Partial<FairSchedulerOptions<Ref>> = {}) {
    this.options = {
      atOnce: 32,
      sliceMs: 1000,
      clock: this.clock,
      idOf: ({ accountId, webhookId }) => `${accountId}/${webhookId}`,
      serve: (ref) => {
        this.begun.push(ref);
        return new Promise((resolve, reject) => this.ends.push({ resolve, reject }));
      },
      onError: (error) => this.errors.push(error),
      ...options,
    };
    this.run = this.nextSlice();
  }

  /** Starts the next time slice, which remembers the slow tenants. */
  nextSlice(): FairScheduler<Ref> {
    this.run = new FairScheduler(this.options, new AbortController().signal, this.slow);
    return this.run;
  }

  join(...refs: Ref[]): void {
    for (const ref of refs) this.run.join(ref, shareOf(ref));
  }

  countOf(account: string): number {
    return this.begun.filter(({ accountId }) => accountId === account).length;
  }

  /** Ends the oldest turn. */
  async endOne(end: Partial<TurnEnd> = {}): Promise<void> {
    this.ends.shift()?.resolve({ hasMore: false, nextAt: null, ...end });
    await settled();
  }

  async failOne(): Promise<void> {
    this.ends.shift()?.reject(new Error('The receiver has vanished.'));
    await settled();
  }
}

const webhooksOf = (accountId: string, count = 40) =>
  Array.from({ length: count }, (_, index): Ref => ({ accountId, webhookId: `whk_${index}` }));

describe('tenants', () => {
  it('a key gets a turn immediately, even if many receivers of another account do not respond', () => {
    const turns = new Turns();
    turns.join(...webhooksOf('slow'));
    expect(turns.countOf('slow')).toBe(16);
    for (const account of ['b', 'c', 'd', 'e']) {
      turns.join(...webhooksOf(account));
      expect(turns.countOf(account)).toBeGreaterThan(0);
    }
    turns.join({ accountId: 'quick', webhookId: 'whk_1' });
    expect(turns.countOf('quick')).toBe(1);
    expect(turns.begun.length).toBeLessThanOrEqual(32);
  });

  it('all accounts of a founder share one limit on simultaneous turns', () => {
    const turns = new Turns();
    turns.join(...[1, 2, 3, 4, 5, 6, 7].flatMap((number) => webhooksOf(`slow-${number}`, 20)));
    expect(turns.begun).toHaveLength(16);
    turns.join(...webhooksOf('quick', 5));
    expect(turns.countOf('quick')).toBe(5);
  });

  it('every key of a tenant gets exactly one turn', async () => {
    const turns = new Turns();
    const all = [...webhooksOf('slow'), ...webhooksOf('other')];
    turns.join(...all);
    for (let turn = 0; turn < 80; turn++) await turns.endOne();
    expect(await turns.run.ended).toEqual({ isCut: false, left: [] });
    expect(turns.begun).toHaveLength(80);
    expect(new Set(turns.begun)).toEqual(new Set(all));
  });

  describe('slow receivers', () => {
    const founders = ['ada', 'grace', 'joan', 'mary', 'betty', 'jean'];
    const others = ['b', 'c', 'd', 'e'];

    /** Returns a new time slice after each tenant has had one turn of five seconds. */
    async function afterSlowTurnsOf(...shares: string[]): Promise<Turns> {
      const turns = new Turns({ sliceMs: 60_000 });
      for (const share of shares) turns.join(...webhooksOf(share, 1));
      turns.clock.ms = 5000;
      for (let turn = 0; turn < shares.length; turn++) await turns.endOne();
      await turns.run.ended;
      turns.begun.length = 0;
      turns.nextSlice();
      return turns;
    }

    it('many slow tenants together leave an eighth of the slots to other tenants', async () => {
      const turns = await afterSlowTurnsOf(...founders);
      for (const founder of founders) turns.join(...webhooksOf(founder));
      expect(turns.run.busy).toBe(28);
      turns.join({ accountId: 'quick', webhookId: 'whk_1' });
      expect(turns.countOf('quick')).toBe(1);
    });

    it('every key gets a turn even if all tenants are slow', async () => {
      const turns = await afterSlowTurnsOf(...founders);
      for (const founder of founders) turns.join(...webhooksOf(founder, 10));
      for (let turn = 0; turn < 60; turn++) await turns.endOne();
      expect(new Set(turns.begun).size).toBe(60);
      expect((await turns.run.ended).left).toEqual([]);
    });

    it('forty quick keys get as many slots beside a slow tenant as without one', async () => {
      const busyBeside = (turns: Turns) => {
        turns.join(...webhooksOf('ada', 1), ...webhooksOf('quick'));
        const alone = turns.countOf('quick');
        for (const share of others) turns.join(...webhooksOf(share));
        return [alone, turns.run.busy];
      };
      expect(busyBeside(new Turns())).toEqual([16, 32]);
      expect(busyBeside(await afterSlowTurnsOf('ada'))).toEqual([16, 32]);
    });

    it('a slow key does not reduce the slots of a tenant with forty quick keys', async () => {
      const turns = await afterSlowTurnsOf('ada');
      turns.join(...webhooksOf('ada', 41));
      expect(turns.countOf('ada')).toBe(16);
      for (const share of others) turns.join(...webhooksOf(share));
      expect(turns.run.busy).toBe(31);
    });

    it('a tenant is no longer slow ten minutes after its last slow turn, or after the clock is set back', async () => {
      for (const ms of [5000 + 10 * 60_000, 4999]) {
        const turns = await afterSlowTurnsOf(...founders);
        turns.clock.ms = ms;
        turns.nextSlice();
        for (const founder of founders) turns.join(...webhooksOf(founder));
        expect(turns.run.busy).toBe(32);
      }
    });

    it('many turns that each take less than five seconds do not make a tenant slow', async () => {
      const turns = new Turns({ sliceMs: 60_000 });
      turns.join(...webhooksOf('quick', 1));
      for (let turn = 0; turn < 10; turn++) {
        turns.clock.ms += 4999;
        await turns.endOne({ hasMore: turn < 9 });
      }
      turns.nextSlice();
      for (const share of ['quick', ...founders]) turns.join(...webhooksOf(share));
      expect(turns.run.busy).toBe(32);
    });
  });

  it('keys that belong to no tenant may take all slots', () => {
    const turns = new Turns();
    for (const ref of webhooksOf('alone')) turns.run.join(ref);
    expect([turns.begun.length, turns.run.busy]).toEqual([32, 32]);
  });
});

describe('a time slice', () => {
  it('a key without a turn before the end of the time slice is passed to the next slice', async () => {
    const turns = new Turns();
    const all = webhooksOf('slow', 20);
    turns.join(...all);
    turns.clock.ms = 1000;
    expect(turns.run.join({ accountId: 'quick', webhookId: 'whk_1' }, 'quick')).toBe(false);
    for (let turn = 0; turn < 16; turn++) await turns.endOne();
    const { isCut, left } = await turns.run.ended;
    expect(isCut).toBe(true);
    expect(left.map(({ key }) => key)).toEqual(all.slice(16));
  });

  it('the end of a time slice reports for each key when its next work is due', async () => {
    const turns = new Turns();
    const [a, b] = webhooksOf('a', 2) as [Ref, Ref];
    turns.join(a, b);
    const at = [5000, 9000, 7000].map((ms) => new Date(ms));
    await turns.endOne({ hasMore: true, nextAt: at[1] });
    await turns.endOne({ nextAt: at[0] });
    await turns.endOne({ nextAt: at[2] });
    expect((await turns.run.ended).left).toEqual([
      { key: a, at: at[2] },
      { key: b, at: at[0] },
    ]);
  });
});

describe('a turn', () => {
  it('a key that joins again during its turn gets exactly one more turn', async () => {
    const turns = new Turns();
    const [ref] = webhooksOf('a', 1) as [Ref];
    turns.join(ref, ref, ref);
    expect(turns.begun).toHaveLength(1);
    await turns.endOne();
    expect(turns.begun).toHaveLength(2);
    await turns.endOne();
    expect(await turns.run.ended).toEqual({ isCut: false, left: [] });
  });

  it('a turn that fails does not affect the other keys', async () => {
    const turns = new Turns({ atOnce: 1 });
    for (const ref of webhooksOf('a', 2)) turns.run.join(ref);
    await turns.failOne();
    expect([turns.errors.length, turns.begun.length]).toEqual([1, 2]);
    await turns.endOne();
    expect(await turns.run.ended).toEqual({ isCut: false, left: [] });
  });
});

describe('lookAgain', () => {
  const refs = webhooksOf('a', 5);
  /** Reads pages of two keys. */
  const pageAfter = (all: readonly Ref[]) =>
    jest.fn((after: Ref | null) => {
      const from = after ? all.indexOf(after) + 1 : 0;
      return Promise.resolve(all.slice(from, from + 2));
    });

  it('lookAgain gives every key of every page a turn, and reads only one page at a time', async () => {
    const looks = pageAfter(refs);
    const turns = new Turns({ atOnce: 2, pageAfter: looks });
    expect(turns.run.lookAgain()).toBe(true);
    expect(turns.run.lookAgain()).toBe(true);
    await settled();
    expect([looks.mock.calls.length, turns.begun.length]).toEqual([1, 2]);
    for (let turn = 0; turn < 5; turn++) await turns.endOne();
    expect(new Set(turns.begun)).toEqual(new Set(refs));
    expect(turns.begun).toHaveLength(5);
  });

  it('lookAgain starts over with the first page, and repeats the turns in progress', async () => {
    const turns = new Turns({ atOnce: 1, pageAfter: pageAfter(refs.slice(0, 1)) });
    turns.run.lookAgain();
    await settled();
    expect(turns.begun).toEqual([refs[0]]);
    turns.run.lookAgain();
    await turns.endOne();
    expect(turns.begun).toEqual([refs[0], refs[0]]);
    await turns.endOne();
    expect(await turns.run.ended).toEqual({ isCut: false, left: [] });
    expect(turns.run.lookAgain()).toBe(false);
  });

  it('a time slice fails if a page cannot be read, but only after all its turns have ended', async () => {
    const looks = pageAfter(refs).mockRejectedValueOnce(new Error('The database is away.'));
    const turns = new Turns({ pageAfter: looks });
    turns.run.join(refs[0]!);
    const failed = expect(turns.run.ended).rejects.toThrow('The database is away.');
    turns.run.lookAgain();
    await settled();
    expect(turns.run.join(refs[1]!)).toBe(false);
    await turns.endOne();
    await failed;
  });
});
