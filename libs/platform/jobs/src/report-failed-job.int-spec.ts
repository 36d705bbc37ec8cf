import { Logger } from '@nestjs/common';
import { type Counted, onCounted } from '@passwright/core';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { Client } from 'pg';
import { Attempt, startApp } from './jobs.fixtures.js';
import { keyedIdentity, SuspectJobs } from './suspect-jobs.js';

let url: string;
let client: Client;
let counted: Counted[];
let stopCounting: () => void;
const [warn, error] = [jest.spyOn(Logger.prototype, 'warn'), jest.spyOn(Logger.prototype, 'error')];

beforeAll(async () => {
  ({ url } = await testDatabase());
  client = new Client({ connectionString: url });
  await client.connect();
});
beforeEach(() => {
  counted = [];
  stopCounting = onCounted((event) => counted.push(event));
  for (const spy of [warn, error]) spy.mockReset();
});
afterEach(() => stopCounting());
afterAll(() => client.end());

/** Adds a failing job, lets an app run its next attempt, and deletes the job. @returns the id of the job */
async function failing(attemptsBefore: number): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM graphile_worker.add_job($1, payload := '{"name":"x"}', max_attempts := 2)`,
    [Attempt.task],
  );
  const id = rows[0]!.id;
  await client.query('UPDATE graphile_worker._private_jobs SET attempts = $2 WHERE id = $1', [id, attemptsBefore]);
  const { app, errands } = await startApp({ url });
  await errands.until(() => errands.begun.length === 1);
  await jobsIdle(url, { tasks: [Attempt.task] });
  await app.close();
  await client.query('DELETE FROM graphile_worker._private_jobs WHERE id = $1', [id]);
  return id;
}

it('a job that fails and will run again is logged as a warning with the attempt and the reason', async () => {
  const id = await failing(0);
  expect(warn.mock.calls).toEqual([
    [`Job test.attempt (${id}) failed at attempt 1 of 2, runs again: Error: No way to x`],
  ]);
  expect([error.mock.calls, counted]).toEqual([[], []]);
});

it('a job that fails at its last attempt is logged as an error with the stack, and counted by its task', async () => {
  const id = await failing(1);
  expect(error.mock.calls).toEqual([
    [
      `Job test.attempt (${id}) has failed for good, after 2 attempts: Error: No way to x`,
      expect.stringContaining('Errands.attempt'),
    ],
  ]);
  expect(warn.mock.calls).toEqual([]);
  expect(counted).toEqual([{ name: 'failed_jobs', labels: { task: 'test.attempt' } }]);
});

it('the log of a set-aside job names the command to run the job again, but not the payload', async () => {
  const payload = { name: 'Ada Lovelace' };
  const id = keyedIdentity(Attempt.task, payload);
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM graphile_worker.add_job($1, payload := $2, job_key := 'test.attempt:key')`,
    [Attempt.task, JSON.stringify(payload)],
  );
  await client.query(
    `INSERT INTO suspect_job (id, task, payload, job_key, max_attempts, deaths, alone)
     VALUES ($1, $2, $3, 'test.attempt:key', 2, 2, true)`,
    [id, Attempt.task, payload],
  );
  const queued = { id: rows[0]!.id, task: Attempt.task, payload, flags: { keyed: true as const } };
  const suspects = new SuspectJobs(new Set(), new Logger('Jobs'));
  await suspects.blame(client, [{ ...queued, key: 'test.attempt:key', max_attempts: 2 }]);
  expect(error.mock.calls).toEqual([
    [
      `Job ${id} is set aside: its process died while it ran alone. ` +
        `Run it again with the operator command: jobs retry ${id}`,
    ],
  ]);
  await client.query('DELETE FROM suspect_job WHERE id = $1', [id]);
});
