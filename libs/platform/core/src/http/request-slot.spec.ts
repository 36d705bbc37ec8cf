import { ConcurrencyLimiter } from '../concurrency-limiter.js';
import { inRequestOf, withoutSlot, withSlot } from './request-origin.js';
import { RequestSlot } from './request-slot.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));
let limiter: ConcurrencyLimiter;
beforeEach(() => {
  limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.' });
});

/** Returns true if another caller would get a slot immediately. */
async function isFree(): Promise<boolean> {
  let entered = false;
  const abort = new AbortController();
  const entering = limiter.enter('other', abort.signal).then(
    (leave) => {
      entered = true;
      leave();
    },
    () => undefined,
  );
  await settled();
  abort.abort();
  await entering;
  return entered;
}

it('a request holds its slot until `leave` gives the slot back for good', async () => {
  const slot = new RequestSlot(limiter, 'a');
  await slot.take();
  expect(await isFree()).toBe(false);
  slot.leave();
  slot.leave();
  expect(await isFree()).toBe(true);
});

it('a request gives its slot back during overlapping waits, and takes a slot again after the last wait', async () => {
  const slot = new RequestSlot(limiter, 'a');
  await slot.take();
  const ends: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => ends.push(resolve));
  const waiting = inRequestOf({ ip: undefined, requestId: 'r', slot }, () => [withoutSlot(wait), withoutSlot(wait)]);
  expect(await isFree()).toBe(true);
  ends[0]?.();
  await waiting[0];
  expect(await isFree()).toBe(true);
  ends[1]?.();
  await waiting[1];
  expect(await isFree()).toBe(false);
});

it('a request that has already ended takes no slot', async () => {
  const slot = new RequestSlot(limiter, 'a');
  slot.leave();
  expect(slot.takeNow()).toBe(false);
  await slot.take();
  expect(await isFree()).toBe(true);
});

describe('a request that begins another wait while it waits for its slot', () => {
  let slot: RequestSlot;
  let returning: Promise<void>;
  let leaveOther: () => void;
  beforeEach(async () => {
    slot = new RequestSlot(limiter, 'a');
    await slot.take();
    returning = slot.lend(async () => {
      leaveOther = await limiter.enter('other');
    });
    await settled();
  });

  it('a request takes its slot again only after its second wait has ended', async () => {
    let end: () => void = () => undefined;
    const other = slot.lend(() => new Promise<void>((resolve) => (end = resolve)));
    leaveOther();
    await returning;
    expect(await isFree()).toBe(true);
    end();
    await other;
    expect(await isFree()).toBe(false);
    slot.leave();
    expect(await isFree()).toBe(true);
  });

  it('a request takes back only one slot after two waits that overlap, even if the second wait ends first', async () => {
    const other = slot.lend(() => Promise.resolve());
    await settled();
    leaveOther();
    await Promise.all([returning, other]);
    slot.leave();
    expect(await isFree()).toBe(true);
  });
});

it('a request that ends during its wait does not take a slot again', async () => {
  const slot = new RequestSlot(limiter, 'a');
  await slot.take();
  await slot.lend(() => Promise.resolve(slot.leave()));
  expect(await isFree()).toBe(true);
});

it('a response that has begun takes a slot for each of its parts', async () => {
  const slot = new RequestSlot(limiter, 'a');
  await slot.take();
  slot.leave();
  const origin = { ip: undefined, requestId: 'r', slot };
  expect(await inRequestOf(origin, () => withSlot(isFree))).toBe(false);
  expect(await isFree()).toBe(true);
});

it.each([false, true])('a part of a response gives its slot back during a wait, long part: %s', async (isLong) => {
  const slot = new RequestSlot(limiter, 'a');
  slot.leave();
  const seen: boolean[] = [];
  const look = async () => void seen.push(await isFree());
  const part = async () => {
    await look();
    await withoutSlot(look);
    await look();
  };
  await inRequestOf({ ip: undefined, requestId: 'r', slot }, () => withSlot(part, { isLong }));
  await look();
  expect(seen).toEqual([false, true, false, true]);
});

it('a request that a part of a response makes gives back its own slot, and the part keeps its slot', async () => {
  limiter = new ConcurrencyLimiter({ width: 3, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.' });
  const [outer, inner] = [new RequestSlot(limiter, 'a'), new RequestSlot(limiter, 'b')];
  const origin = (slot: RequestSlot) => ({ ip: undefined, requestId: 'r', slot });
  let free = 0;
  const wait = async () => {
    const taken = ['c', 'd', 'e'].map((key) => limiter.enterNow(key));
    free = taken.filter((leave) => leave !== null).length;
    for (const leave of taken) leave?.();
    await settled();
  };
  await inner.take();
  await inRequestOf(origin(outer), () => withSlot(() => inRequestOf(origin(inner), () => withoutSlot(wait))));
  expect(free).toBe(2);
});

it('the long parts of a tenant run one at a time while another tenant is active, but short parts do not wait', async () => {
  limiter = new ConcurrencyLimiter({ width: 8, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.' });
  limiter.enterNow('other')?.();
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const part = (name: string, isLong: boolean) =>
    inRequestOf({ ip: undefined, requestId: name, slot: new RequestSlot(limiter, 'a') }, () =>
      withSlot(() => new Promise<void>((resolve) => void (started.push(name), ends.push(resolve))), { isLong }),
    );
  const parts = [part('short', false), part('long 1', true), part('long 2', true)];
  await settled();
  expect(started).toEqual(['short', 'long 1']);
  expect(await isFree()).toBe(true);
  ends[1]?.();
  await settled();
  expect(started).toEqual(['short', 'long 1', 'long 2']);
  for (const end of ends) end();
  await Promise.all(parts);
});

it('withoutSlot and withSlot simply run work that belongs to no request', async () => {
  expect(await withoutSlot(() => Promise.resolve(1))).toBe(1);
  expect(await withSlot(() => Promise.resolve(2))).toBe(2);
});

it('a request that has waited gets its slot back before new requests of its caller get slots', async () => {
  const slot = new RequestSlot(limiter, 'a');
  await slot.take();
  const order: string[] = [];
  const leaveFirst = limiter.enter('a');
  const last = limiter.enter('a').then((leave) => {
    order.push('not begun');
    leave();
  });
  const back = slot
    .lend(() => leaveFirst)
    .then(() => {
      order.push('back');
      slot.leave();
    });
  (await leaveFirst)();
  await Promise.all([back, last]);
  expect(order).toEqual(['back', 'not begun']);
});

it('a request that has waited gets its slot back, even if many requests of its caller are waiting', async () => {
  const slot = new RequestSlot(limiter, 'a');
  await slot.take();
  const waiting = Array.from({ length: 5 }, () => limiter.enter('a'));
  const back = slot.lend(async () => {
    await waiting[0];
    waiting.push(limiter.enter('a'));
  });
  await settled();
  for (const task of waiting) void task.then((leave) => leave());
  await back;
  slot.leave();
  expect(await isFree()).toBe(true);
});
