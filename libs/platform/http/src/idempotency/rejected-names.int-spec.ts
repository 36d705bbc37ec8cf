import { randomId } from '@passwright/core';
import { FixedClock, testDatabase } from '@passwright/testing';
import { TestApp } from '../test-app.fixtures.js';

let app: TestApp;
beforeAll(async () => {
  const { url } = await testDatabase();
  app = await TestApp.start(url, 0, new FixedClock());
  // A sequence keeps its value when the transaction is rolled back. The name of the row says how often it is rejected.
  await app.database.reads.query(`
    CREATE SEQUENCE rejections;
    CREATE FUNCTION reject_name() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('rejections') <= split_part(NEW.name, ' ', 2)::int THEN
        RAISE EXCEPTION 'prepared statement name is already in use' USING ERRCODE = '08P01';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER reject_name BEFORE INSERT ON account FOR EACH ROW WHEN (NEW.name LIKE 'rejected %')
      EXECUTE FUNCTION reject_name()`);
});
beforeEach(() => app.database.reads.query('ALTER SEQUENCE rejections RESTART'));
afterAll(() => app.stop());

/** Creates a thing whose row a pooler rejects this many times. */
async function create(times: number, key: string) {
  const response = await fetch(`${app.url}/v1/things`, {
    method: 'POST',
    headers: { Authorization: 'Bearer acc_ada', 'Idempotency-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: `rejected ${times}` }),
  });
  const rows = await app.database.reads.query<unknown[]>('SELECT FROM account WHERE name = $1', [`rejected ${times}`]);
  return { status: response.status, replayed: response.headers.get('idempotency-replayed'), rows: rows.length };
}

it('a write with an idempotency key runs again if a pooler rejects the name of a statement', async () => {
  const key = randomId();
  expect(await create(2, key)).toEqual({ status: 201, replayed: null, rows: 1 });
  expect(await create(2, key)).toEqual({ status: 201, replayed: 'true', rows: 1 });
});

it('503 for a write with an idempotency key whose statement a pooler rejects in every attempt; a retry works', async () => {
  const key = randomId();
  expect(await create(4, key)).toEqual({ status: 503, replayed: null, rows: 0 });
  expect(await create(4, key)).toEqual({ status: 201, replayed: null, rows: 1 });
});
