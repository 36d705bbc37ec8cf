import fc from 'fast-check';
import { RateLimiterMemory, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { callerKey } from './caller-key.js';
import { LeasedLimit } from './leased-limit.js';

function counted(limit: number): { store: Pick<RateLimiterAbstract, 'consume' | 'delete'>; asked: () => number } {
  const memory = new RateLimiterMemory({ points: limit, duration: 60 });
  let asked = 0;
  const consume: RateLimiterAbstract['consume'] = (...args) => {
    asked++;
    return memory.consume(...args);
  };
  return { store: { consume, delete: (key) => memory.delete(key) }, asked: () => asked };
}

describe('LeasedLimit', () => {
  it('LeasedLimit never allows more than the limit, for any limit and any order of the nodes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 600 }),
        async (limit, order) => {
          const { store } = counted(limit);
          const nodes = Array.from({ length: 4 }, () => new LeasedLimit(store, limit));
          const standings = await Promise.all(order.map((node) => nodes[node]!.take('caller')));
          const passed = standings.filter(({ allowed }) => allowed).length;
          const unspent = 4 * Math.max(1, Math.floor(limit / 50));
          expect(passed).toBeLessThanOrEqual(limit);
          expect(passed).toBeGreaterThanOrEqual(Math.min(order.length, limit - unspent));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('LeasedLimit asks the store only fifty times for a whole limit on a single node', async () => {
    const { store, asked } = counted(1000);
    const limit = new LeasedLimit(store, 1000);
    const standings = await Promise.all(Array.from({ length: 1500 }, () => limit.take('caller')));
    expect(standings.filter(({ allowed }) => allowed)).toHaveLength(1000);
    expect(asked()).toBe(50);
  });

  it('LeasedLimit stops asking the store once the limit is reached', async () => {
    const { store, asked } = counted(2);
    const limit = new LeasedLimit(store, 2);
    for (let i = 0; i < 10; i++) await limit.take('caller');
    expect(asked()).toBe(2);
  });

  it('LeasedLimit counts from zero again when the window ends', async () => {
    jest.useFakeTimers({ now: 0 });
    try {
      const limit = new LeasedLimit(counted(1).store, 1);
      expect(await limit.take('caller')).toEqual({ allowed: true, remaining: 0, resetMs: 60_000 });
      jest.advanceTimersByTime(59_999);
      expect(await limit.take('caller')).toEqual({ allowed: false, remaining: 0, resetMs: 1 });
      jest.advanceTimersByTime(1);
      expect(await limit.take('caller')).toMatchObject({ allowed: true });
    } finally {
      jest.useRealTimers();
    }
  });

  it('LeasedLimit rethrows the error of an unreachable store, and asks again the next time', async () => {
    const consume = jest
      .fn()
      .mockRejectedValueOnce(new Error('down'))
      .mockResolvedValue({ consumedPoints: 1, msBeforeNext: 1000 });
    const limit = new LeasedLimit({ consume, delete: jest.fn() }, 10);
    await expect(limit.take('caller')).rejects.toThrow('down');
    expect(await limit.take('caller')).toMatchObject({ allowed: true, remaining: 9 });
  });
});

it('LeasedLimit restarts a window that a node began while its clock was days ahead', async () => {
  const memory = new RateLimiterMemory({ points: 10, duration: 60 });
  await memory.set('caller', 11, 20 * 86_400);
  const limit = new LeasedLimit(memory, 10);
  const standing = await limit.take('caller');
  expect(standing).toMatchObject({ allowed: true, remaining: 9 });
  expect(standing.resetMs).toBeLessThanOrEqual(60_000);
});

it('LeasedLimit does not restart a window that a node began while its clock was seconds ahead', async () => {
  const memory = new RateLimiterMemory({ points: 10, duration: 60 });
  await memory.set('caller', 11, 69);
  expect(await new LeasedLimit(memory, 10).take('caller')).toMatchObject({ allowed: false });
});

describe('callerKey', () => {
  it.each([
    ['203.0.113.9', 'address:203.0.113.9'],
    ['::ffff:203.0.113.9', 'address:203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
    ['2001:db8::6', 'address:2001:db8:0:0::/64'],
    ['::1', 'address:0:0:0:0::/64'],
    [undefined, 'address:unknown'],
  ])('callerKey counts address %s as %s', (ip, key) => {
    expect(callerKey({ ip })).toBe(key);
  });

  it('callerKey counts an authenticated request toward its founder or account, for any API key and address', () => {
    const principal = { kind: 'apiKey' as const, id: 'k1', accountId: 'acc_1', scopes: [] };
    expect(callerKey({ principal, ip: '203.0.113.9' })).toBe('account:acc_1');
    expect(callerKey({ principal, share: 'usr_1', ip: '203.0.113.9' })).toBe('account:usr_1');
  });
});
