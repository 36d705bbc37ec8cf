import { setTimeout as pause } from 'node:timers/promises';
import { Global, Injectable, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { randomId, Scheduled } from '@passwright/core';
import fc from 'fast-check';
import { quickAddJob } from 'graphile-worker';
import { DataSource } from 'typeorm';
import { DatabaseClock, queueTables } from '@passwright/database';
import { goneWorkersSql, removeSupersededSql } from './abandoned-jobs.js';
import { Job } from './job.js';
import { JobHandler } from './job-handler.decorator.js';
import { Attempt, Errand, type Errands, startApp, UrgentErrand } from './jobs.fixtures.js';
import { Jobs } from './jobs.js';
import { JobsModule } from './jobs.module.js';
import { LANES } from './lanes.js';
import { lockedJobsSql } from './lost-jobs.js';

let url: string;
let dataSource: DataSource;
const jobs = new Jobs();
const queue = queueTables(null);
const open: INestApplicationContext[] = [];

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3 }).initialize();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
  await dataSource.query(`DELETE FROM graphile_worker._private_jobs WHERE task_id IN
    (SELECT id FROM graphile_worker._private_tasks WHERE identifier LIKE 'test.%')`);
});
afterAll(() => dataSource.destroy());

async function running(options = {}, ...providers: (new () => object)[]): Promise<Errands> {
  const { app, errands } = await startApp({ url, ...options }, ...providers);
  open.push(app);
  return errands;
}

const rest = () => jobsIdle(url, { tasks: [Errand.task, Attempt.task, UrgentErrand.task] });
const add = (...all: (Errand | Attempt | UrgentErrand)[]) => dataSource.transaction((tx) => jobs.addMany(tx, all));

async function queued(): Promise<{ task: string; attempts: number; max: number; key: string | null }[]> {
  return dataSource.query(
    `SELECT task.identifier AS task, attempts, max_attempts AS max, key
       FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
      WHERE task.identifier LIKE 'test.%' ORDER BY job.id`,
  );
}

const runAt = async () => {
  const [row] = await dataSource.query<{ run_at: Date }[]>(
    `SELECT run_at FROM graphile_worker._private_jobs WHERE key = 'test.errand:key'`,
  );
  return row?.run_at;
};

it('an urgent job runs before jobs of the same lane that were added earlier', async () => {
  await add(new Errand('first'), new Errand('second'));
  await add(new UrgentErrand({ name: 'urgent' }));
  const errands = await running();
  await rest();
  expect(errands.begun).toEqual(['urgent', 'first', 'second']);
});

describe('a job that is added again under its key', () => {
  it('a waiting job that is added again under its key keeps its position in the queue', async () => {
    await add(new Errand('first', undefined, 'key'));
    const at = await runAt();
    await add(new Errand('again', undefined, 'key'));
    expect(await runAt()).toEqual(at);
  });

  it('a postponed job that is added again under its key gets the new time, or is due immediately without one', async () => {
    const later = new Date(Date.now() + 3_600_000);
    await add(new Errand('later', undefined, 'key', later));
    expect(await runAt()).toEqual(later);
    await add(new Errand('now', undefined, 'key'));
    expect((await runAt())!.getTime()).toBeLessThan(later.getTime());
    await add(new Errand('later', undefined, 'key', later));
    expect(await runAt()).toEqual(later);
  });
});

describe('a class of jobs that run at the earliest time', () => {
  class Look extends Job<{ readonly name: string }> {
    static readonly task = 'test.planned-look';
    static readonly runsAtEarliest = true;

    constructor(
      override readonly key: string,
      override readonly runAt?: Date,
    ) {
      super({ name: key });
    }
  }
  const begin = Date.now();
  const inMinutes = (minutes: number) => new Date(begin + minutes * 60_000);
  const plan = (key: string, ...minutes: number[]) =>
    dataSource.transaction((tx) =>
      jobs.addMany(
        tx,
        minutes.map((each) => new Look(key, inMinutes(each))),
      ),
    );
  const planned = async (key: string) => {
    const rows = await dataSource.query<{ run_at: Date }[]>(
      'SELECT run_at FROM graphile_worker._private_jobs WHERE key = $1',
      [`test.planned-look:${key}`],
    );
    return rows.map((row) => row.run_at);
  };

  it('jobs that merge run at the earliest of their times, in any order of addition', async () => {
    const groups = fc.array(fc.array(fc.integer({ min: -60, max: 600 }), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 4,
    });
    let key = 0;
    await fc.assert(
      fc.asyncProperty(groups, async (minutes) => {
        key++;
        for (const group of minutes) await plan(`${key}`, ...group);
        expect(await planned(`${key}`)).toEqual([inMinutes(Math.min(...minutes.flat()))]);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    [10, 60],
    [60, 10],
  ])(
    'jobs planned in %s and %s minutes, added simultaneously under one key, run at the earlier time',
    async (first, second) => {
      let adding: Promise<void> = Promise.resolve();
      await dataSource.transaction(async (tx) => {
        await jobs.add(tx, new Look('both', inMinutes(first)));
        adding = plan('both', second);
        const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        while ((await dataSource.query<unknown[]>(sql)).length === 0) await pause(5);
      });
      await adding;
      expect(await planned('both')).toEqual([inMinutes(10)]);
    },
  );

  it('a planned job is due immediately if it is added again without a time', async () => {
    await plan('now', 60);
    await dataSource.transaction((tx) => jobs.add(tx, new Look('now')));
    await plan('now', 60);
    const [at] = await planned('now');
    expect(at?.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
  });
});

it('a job runs even if another lane has no free slot', async () => {
  const errands = await running();
  await add(...Array.from({ length: 20 }, (_, index) => new Errand(`busy ${index}`, 'heed')));
  await errands.until(() => errands.begun.length > 0);
  await add(new Attempt({ name: 'mail' }));
  await errands.until(() => errands.begun.includes('mail'));
});

it('takeAlong takes waiting jobs of one class, except jobs that have failed or are due later', async () => {
  await add(new Errand('a'), new Errand('b'), new Errand('other', 'fail'), new Attempt({ name: 'a' }));
  await add(new Errand('later', undefined, undefined, new Date(Date.now() + 60_000)));
  await dataSource.query(`UPDATE graphile_worker._private_jobs SET attempts = 1 WHERE payload->>'name' = 'b'`);
  const take = (like = {}) => dataSource.transaction((tx) => jobs.takeAlong(tx, Errand, 10, like));
  expect(await take({ how: 'fail' })).toEqual([{ name: 'other', how: 'fail' }]);
  expect(await take()).toEqual([{ name: 'a' }]);
  expect(await take()).toEqual([]);
  expect(await queued()).toHaveLength(3);
});

describe('a scheduled method', () => {
  @Injectable()
  class Cleanup {
    readonly name = 'cleanup';
    private tell: (name: string) => void = () => undefined;

    /** Resolves with the name of the instance, or of the method, that runs next. */
    nextRun(): Promise<string> {
      return new Promise((resolve) => (this.tell = resolve));
    }

    @Scheduled({ name: 'test.tidy', crontab: '0 0 1 1 *' })
    tidy(): Promise<void> {
      this.tell(this.name);
      return Promise.resolve();
    }

    @Scheduled({ name: 'test.look', crontab: '0 0 1 1 *', lane: 'looks' })
    look(): Promise<void> {
      this.tell('look');
      return Promise.resolve();
    }

    @Scheduled({ name: 'test.repair', lane: 'looks' })
    repair(): Promise<void> {
      this.tell('repair');
      return Promise.resolve();
    }

    untimed(): void {
      this.tell('never');
    }
  }

  it('a scheduled method runs once, even if its provider has two tokens', async () => {
    @Module({
      imports: [JobsModule.forRoot({ url })],
      providers: [Cleanup, { provide: 'alias', useExisting: Cleanup }],
    })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    open.push(app);
    const ran = app.get(Cleanup).nextRun();
    await quickAddJob({ connectionString: url }, 'test.tidy', {});
    expect(await ran).toBe('cleanup');
  });

  it('a scheduled method waits while the clock may be wrong', async () => {
    let allowed = false;
    const clock = jest.spyOn(DatabaseClock.prototype, 'allowsTimedWork', 'get').mockImplementation(() => allowed);
    @Module({ imports: [JobsModule.forRoot({ url })], providers: [Cleanup] })
    class App {}
    await quickAddJob({ connectionString: url }, 'test.tidy', {});
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    open.push(app);
    const ran = app.get(Cleanup).nextRun();
    while (clock.mock.calls.length < LANES.timed) await pause(10);
    const [job] = await dataSource.query<unknown[]>(
      `SELECT attempts, locked_at FROM graphile_worker.jobs WHERE task_identifier = 'test.tidy'`,
    );
    expect(job).toEqual({ attempts: 0, locked_at: null });
    allowed = true;
    expect(await ran).toBe('cleanup');
    clock.mockRestore();
  });

  it('repairs and methods in the lane `looks` run after the clock went back', async () => {
    const timed = jest.spyOn(DatabaseClock.prototype, 'allowsTimedWork', 'get').mockReturnValue(false);
    const clock = new DatabaseClock({ now: () => Promise.resolve(Date.now()) });
    @Global()
    @Module({ providers: [{ provide: DatabaseClock, useValue: clock }], exports: [DatabaseClock] })
    class ClockModule {}
    @Module({ imports: [ClockModule, JobsModule.forRoot({ url })], providers: [Cleanup] })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    open.push(app);
    const cleanup = app.get(Cleanup);
    const looked = cleanup.nextRun();
    await quickAddJob({ connectionString: url }, 'test.look', {});
    expect(await looked).toBe('look');
    const repaired = cleanup.nextRun();
    clock.wentBack = true;
    expect(await repaired).toBe('repair');
    timed.mockRestore();
  });
});

describe('adding jobs', () => {
  it('a job is committed with the transaction that adds it', async () => {
    const errands = await running();
    const name = randomId();
    await dataSource.transaction((tx) => jobs.add(tx, new Errand(name)));
    await errands.until(() => errands.begun.includes(name));
  });

  it('a job is rolled back with the transaction that adds it', async () => {
    const work = dataSource.transaction(async (tx) => {
      await jobs.add(tx, new Errand('never'));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await queued()).toEqual([]);
  });

  it('a job runs on another node if the node that added it runs no jobs', async () => {
    const idle = await running({ run: false });
    const busy = await running();
    await add(new Errand('a'), new Errand('b'));
    await rest();
    expect([...busy.begun].sort()).toEqual(['a', 'b']);
    expect(idle.begun).toEqual([]);
  });

  it('jobs of one class with the same key merge into the latest, even across several calls', async () => {
    await add(new Errand('a', undefined, 'k'), new Errand('b', undefined, 'k'), new Errand('free'));
    await add(new Errand('c', undefined, 'k'));
    await add(new Errand('other', undefined, 'l'));
    const errands = await running();
    await rest();
    expect([...errands.begun].sort()).toEqual(['c', 'free', 'other']);
  });

  it('addMany adds ten thousand jobs in one statement, and runs no statement for an empty list', async () => {
    await add();
    await add(...Array.from({ length: 10_000 }, (_, index) => new Errand(`${index}`, undefined, `${index}`)));
    expect(await queued()).toHaveLength(10_000);
    const { ready, locked, failed } = await jobs.count(dataSource.manager);
    expect([ready >= 10_000, locked, failed]).toEqual([true, 0, 0]);
  });

  it('addMany does not deadlock with a transaction that adds the same jobs in a different order', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `${index}`);
    const both = (order: string[]) => add(...order.map((name) => new Errand(name, undefined, name)));
    await Promise.all([both(names), both([...names].reverse()), both(names)]);
    expect(await queued()).toHaveLength(300);
  });

  it('a job with a later time waits until that time', async () => {
    const errands = await running();
    await add(new Errand('later', undefined, undefined, new Date(Date.now() + 3_600_000)), new Errand('now'));
    await rest();
    expect(errands.begun).toEqual(['now']);
    expect((await jobs.count(dataSource.manager)).later).toBeGreaterThanOrEqual(1);
  });
});

describe('failing jobs', () => {
  it('a job that fails runs again later, and its attempt is counted', async () => {
    const errands = await running();
    await add(new Errand('x', 'fail'));
    await errands.until(() => errands.begun.length === 1);
    await rest();
    expect(await queued()).toEqual([{ task: Errand.task, attempts: 1, max: 25, key: null }]);
  });

  it('a job is not repeated after the attempts that its class allows, and then counts as failed', async () => {
    const errands = await running();
    await add(new Attempt({ name: 'x' }));
    await errands.until(() => errands.begun.length === 1);
    await rest();
    const before = await jobs.count(dataSource.manager);
    await dataSource.query(`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE attempts = 1`);
    await dataSource.query(`SELECT pg_notify('jobs:insert', '{"count":1}')`);
    await errands.until(() => errands.begun.length === 2);
    await rest();
    expect(await queued()).toEqual([{ task: Attempt.task, attempts: 2, max: 2, key: null }]);
    expect((await jobs.count(dataSource.manager)).failed).toBe(before.failed + 1);
  });
});

describe('handlers', () => {
  it('an app with two handlers of one task does not start, and the error names both handlers', async () => {
    @Injectable()
    class Rival {
      @JobHandler(Errand)
      rival(): Promise<void> {
        return Promise.resolve();
      }
    }
    await expect(startApp({ url, run: false }, Rival)).rejects.toThrow(
      'The task test.errand has two handlers, Errands.errand and Rival.rival; give one of them another name, or remove it',
    );
  });

  it('an app with a handler and a schedule of the same name does not start', async () => {
    @Injectable()
    class Rival {
      @Scheduled({ name: 'test.errand', crontab: '* * * * *' })
      rival(): Promise<void> {
        return Promise.resolve();
      }
    }
    await expect(startApp({ url }, Rival)).rejects.toThrow('The task test.errand has two handlers');
  });
});

it.each([
  ['workers that have gone', goneWorkersSql(queue).replace('$1', `'{x}'`).replace('$2', `'{test.errand}'`)],
  ['jobs that this process has locked', lockedJobsSql(queue).replace('$1', `'{x}'`)],
  ['jobs that newer jobs replace', removeSupersededSql(queue).replace('$1', `'keyed'`)],
])('%s are found through an index, even if many jobs wait', async (_, sql) => {
  await add(...Array.from({ length: 5000 }, (__, index) => new Errand(`${index}`)));
  await dataSource.query('ANALYZE graphile_worker._private_jobs');
  const plan = await dataSource.query<{ 'QUERY PLAN': string }[]>(`EXPLAIN ${sql}`);
  const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(lines).toContain('passwright_not_available_idx');
  expect(lines).not.toContain('Seq Scan on _private_jobs');
});
