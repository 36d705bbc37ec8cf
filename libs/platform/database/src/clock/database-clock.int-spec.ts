import { Logger } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { Test, type TestingModule } from '@nestjs/testing';
import { Database } from '../database.js';
import { DatabaseModule } from '../database.module.js';
import { DatabaseClock } from './database-clock.js';
import { DatabaseClockModule } from './database-clock.module.js';

const DAYS_400 = 400 * 86_400_000;
/**
 * A tolerance far above the delays of a busy machine and far below the clock jumps of the tests, which are 400 days.
 */
const MINUTE = 60_000;

let node: TestingModule;
beforeEach(async () => {
  const { url } = await testDatabase();
  node = await Test.createTestingModule({
    imports: [DatabaseModule.forRoot({ url, poolSize: 2 }), DatabaseClockModule],
  }).compile();
  await node.init();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await node.close();
});

/** Returns the service's time minus the database's time, in milliseconds. */
async function offMs(): Promise<number> {
  return Math.abs(node.get(Clock).now().getTime() - (await node.get(Database).now()));
}

it("the clock keeps the database's time when the machine's clock jumps", async () => {
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + DAYS_400);
  expect(await offMs()).toBeLessThan(MINUTE);
  const clock = node.get(DatabaseClock);
  expect(clock.nodeAheadMs).toBeGreaterThan(DAYS_400 - MINUTE);
  // The clock must be wrong immediately, before a timed job can start.
  expect(clock.isRight).toBe(false);
  await node.get(DatabaseClock).measure();
  expect(await offMs()).toBeLessThan(MINUTE);
});

it("the clock follows the database when the database's clock jumps", async () => {
  const database = node.get(Database);
  const reported = await database.now();
  jest.spyOn(database, 'now').mockResolvedValue(reported + DAYS_400);
  await node.get(DatabaseClock).measure();
  expect(node.get(Clock).now().getTime()).toBeGreaterThanOrEqual(Math.floor(reported) + DAYS_400);
  expect(node.get(DatabaseClock).nodeAheadMs).toBeLessThan(-DAYS_400 + MINUTE);
});

it('the clock allows no timed work until 15 minutes after both clocks jumped ahead together', async () => {
  const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  const [begun, now] = [performance.now(), Date.now()];
  let [jumpMs, minutes] = [0, 0];
  jest.spyOn(performance, 'now').mockImplementation(() => begun + minutes * MINUTE);
  jest.spyOn(Date, 'now').mockImplementation(() => now + minutes * MINUTE + jumpMs);
  const clock = new DatabaseClock({ now: () => Promise.resolve(Date.now()) });
  const allowed: boolean[] = [];
  const look = async () => {
    await clock.measure();
    expect(clock.isRight).toBe(true);
    allowed.push(clock.allowsTimedWork);
  };
  await look();
  jumpMs = DAYS_400;
  for (minutes of [1, 2]) await look();
  jumpMs = 0;
  for (minutes of [3, 17, 19]) await look();
  expect(allowed).toEqual([true, false, false, false, false, true]);
  expect(error.mock.calls.map(([message]) => String(message))).toEqual([
    expect.stringContaining('has jumped by 34560000 s'),
    expect.stringContaining('has jumped by -34560000 s'),
  ]);
});

it('the clock allows jobs to delete after both clocks went back, but not while both may be ahead', async () => {
  jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  const now = Date.now.bind(Date);
  let [nodeMs, databaseMs] = [0, 0];
  jest.spyOn(Date, 'now').mockImplementation(() => now() + nodeMs);
  const clock = new DatabaseClock({ now: () => Promise.resolve(now() + databaseMs) });
  const seen: unknown[] = [];
  const jump = async (node: number, database: number) => {
    [nodeMs, databaseMs] = [node, database];
    await clock.onModuleInit();
    clock.onApplicationShutdown();
    seen.push([clock.allowsLooks, clock.allowsTimedWork, clock.wentBack]);
  };
  await jump(0, 0);
  await jump(DAYS_400, DAYS_400);
  await jump(0, 0);
  clock.wentBack = false;
  await jump(0, -DAYS_400);
  await jump(0, 0);
  expect(seen).toEqual([
    [true, true, false],
    [false, false, false],
    [true, false, true],
    [false, false, true],
    [true, false, true],
  ]);
});

it("the clock logs once when the node's clock becomes wrong, and once when it is right again", async () => {
  const [error, log] = [jest.spyOn(Logger.prototype, 'error'), jest.spyOn(Logger.prototype, 'log')];
  error.mockReturnValue();
  log.mockReturnValue();
  let aheadMs = DAYS_400;
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  const clock = new DatabaseClock({ now: () => Promise.resolve(now()) });
  for (let times = 0; times < 2; times++) await clock.onModuleInit();
  aheadMs = 0;
  for (let times = 0; times < 2; times++) await clock.onModuleInit();
  clock.onApplicationShutdown();
  expect([error, log].map(({ mock }) => mock.calls.map(([message]) => String(message)))).toEqual([
    [expect.stringMatching(/3456\d{4} s off/)],
    [expect.stringContaining('agrees with the database again')],
  ]);
});
