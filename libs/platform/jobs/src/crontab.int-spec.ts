import { testDatabase } from '@passwright/testing';
import { parseCronItems } from 'graphile-worker';
import { Pool } from 'pg';
import { Crontab } from './crontab.js';

const items = [
  { task: 'test.minutely', identifier: 'test.minutely', match: '* * * * *' },
  { task: 'test.nightly', identifier: 'test.nightly', match: '41 3 * * *' },
];
const tasks = { crons: parseCronItems(items), repairs: ['test.repair'] };
let pool: Pool;
let crontab: Crontab;
beforeAll(async () => {
  pool = new Pool({ connectionString: (await testDatabase()).url, max: 2 });
  crontab = new Crontab(pool, tasks, { now: () => new Date(), isRight: true, wentBack: false });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await pool.query('DELETE FROM graphile_worker._private_known_crontabs');
  await pool.query('DELETE FROM graphile_worker._private_jobs');
});
afterAll(() => pool.end());

const waiting = async () =>
  (
    await pool.query<{ task: string }>(
      `SELECT task_identifier AS task FROM graphile_worker.jobs WHERE task_identifier LIKE 'test.%' ORDER BY id`,
    )
  ).rows.map(({ task }) => task);

it('the crontab adds each scheduled job once over all nodes, and not again while the job still waits', async () => {
  await crontab.schedule(new Date('2026-11-22T03:40:00Z'));
  await crontab.schedule(new Date('2026-11-22T03:40:00Z'));
  expect(await waiting()).toEqual(['test.minutely']);
  await crontab.schedule(new Date('2026-11-22T03:41:00Z'));
  expect((await waiting()).sort()).toEqual(['test.minutely', 'test.nightly']);
});

it('the crontab runs a schedule even if its last run is recorded in the future', async () => {
  await pool.query(
    `INSERT INTO graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
     VALUES ('test.minutely', now(), now() + interval '400 days')`,
  );
  await crontab.schedule(new Date());
  expect(await waiting()).toEqual(['test.minutely']);
});

it('the crontab reschedules jobs that wait because of a wrong clock, but not jobs that were planned for later', async () => {
  for (const [run, created] of [
    ['400 days', '400 days'],
    ['401 days', '400 days'],
    ['2 days', '0'],
  ]) {
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM graphile_worker.add_job('test.errand')`);
    await pool.query(
      'UPDATE graphile_worker._private_jobs SET run_at = now() + $2::interval, created_at = now() + $3::interval WHERE id = $1',
      [rows[0]?.id, run, created],
    );
  }
  await crontab.schedule(new Date('2026-11-22T03:40:00Z'));
  const { rows } = await pool.query<{ days: number }>(
    `SELECT round(extract(epoch FROM run_at - now()) / 86400)::int AS days FROM graphile_worker.jobs
      WHERE task_identifier = 'test.errand' ORDER BY id`,
  );
  expect(rows.map(({ days }) => days)).toEqual([0, 1, 2]);
});

it('the crontab adds no job while the clock of the node is wrong', async () => {
  const stop = new AbortController();
  const looks: boolean[] = [];
  const clock = {
    now: () => new Date(),
    wentBack: true,
    get isRight() {
      looks.push(false);
      stop.abort();
      return false;
    },
  };
  await new Crontab(pool, tasks, clock).run(stop.signal, () => undefined);
  expect([looks.length, clock.wentBack, await waiting()]).toEqual([1, true, []]);
});

describe('a clock that was an hour ahead and has gone back', () => {
  let clock: { now: () => Date; isRight: boolean; wentBack: boolean };
  /** Runs one check of the crontab. @returns the errors of the check */
  async function lookOnce(): Promise<unknown[]> {
    const stop = new AbortController();
    const errors: unknown[] = [];
    clock.now = () => {
      stop.abort();
      return new Date();
    };
    await new Crontab(pool, tasks, clock).run(stop.signal, (error) => errors.push(error));
    return errors;
  }
  beforeEach(() => {
    clock = { now: () => new Date(), isRight: true, wentBack: true };
  });

  it('the crontab adds the repairs once after the clock was set back', async () => {
    await pool.query(
      `INSERT INTO graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
       VALUES ('test.minutely', now(), now() + interval '10 minutes')`,
    );
    await lookOnce();
    await lookOnce();
    expect([clock.wentBack, await waiting()]).toEqual([false, ['test.repair']]);
    await crontab.schedule(new Date(Math.floor(Date.now() / 60_000) * 60_000 + 60_000));
    expect((await waiting()).sort()).toEqual(['test.minutely', 'test.repair']);
  });

  it('the crontab reschedules jobs that failed or were added again before the clock was set back', async () => {
    for (const change of [`updated_at = now() + interval '1 hour'`, 'attempts = 1']) {
      const { rows } = await pool.query<{ id: string }>(`SELECT id FROM graphile_worker.add_job('test.errand')`);
      await pool.query(
        `UPDATE graphile_worker._private_jobs SET run_at = now() + interval '61 minutes', ${change} WHERE id = $1`,
        [rows[0]?.id],
      );
    }
    await lookOnce();
    const { rows } = await pool.query<{ minutes: number }>(
      `SELECT round(extract(epoch FROM run_at - now()) / 60)::int AS minutes FROM graphile_worker.jobs
        WHERE task_identifier = 'test.errand' ORDER BY id`,
    );
    expect(rows.map(({ minutes }) => minutes)).toEqual([1, 0]);
  });

  it('the crontab adds the repairs at a later check if the database was unavailable', async () => {
    const query = jest.spyOn(pool, 'query').mockRejectedValueOnce(new Error('away') as never);
    expect(await lookOnce()).toEqual([new Error('away')]);
    expect(clock.wentBack).toBe(true);
    query.mockRestore();
    await lookOnce();
    expect(await waiting()).toEqual(['test.repair']);
  });
});
