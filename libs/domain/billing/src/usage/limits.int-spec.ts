import { randomUUID } from 'node:crypto';
import { migratedDatabase, type TestDatabase } from '@passwright/testing';
import { Client } from 'pg';

const CONNECTIONS = 20;
const CREATIONS_OF_EACH = 50;
const ACCOUNTS = 10;
const LIMIT = 17;

/** Delays each read of a counter, so that other transactions change the counters before the read. */
const slowLook = `
  CREATE OR REPLACE FUNCTION own_shard() RETURNS integer LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM pg_sleep(random() * 0.01);
    RETURN hashint4(pg_backend_pid()) & 2147483647;
  END $$`;

let database: TestDatabase;
const clients: Client[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  for (let n = 0; n < CONNECTIONS; n++) clients.push(new Client({ connectionString: database.url }));
  await Promise.all(clients.map((client) => client.connect()));
  await clients[0]?.query(slowLook);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.drop();
});

/** Creates an account with a limit on passes, and its template `t`. */
async function accountWith(limit: number): Promise<string> {
  const id = `acc_${randomUUID()}`;
  const [client] = clients as [Client];
  await client.query('INSERT INTO account (id, name, created_at) VALUES ($1, $1, now())', [id]);
  await client.query(
    `INSERT INTO billing (account_id, max_pass_creations, operator_settings, updated_at) VALUES ($1, $2, '{}', now())`,
    [id, limit],
  );
  await client.query(
    `INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
       sharing_prohibited, locations, fields, back_fields, revision, created_at, updated_at)
     VALUES ($1, 't', 'offer', 'T', 'I', '#fff', '#000', '{}', false, '[]', '[]', '[]', 1, now(), now())`,
    [id],
  );
  return id;
}

/**
 * Creates a pass in a transaction that stays open after the insert. @returns 'created', or the SQL state of the error
 */
async function create(client: Client, accountId: string): Promise<string> {
  await client.query('BEGIN');
  try {
    await client.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at)
       VALUES ($1, 't', 'offer', $2, $2, $2, '[]', '[]', '[]', '{}', 1, now(), now())`,
      [accountId, randomUUID()],
    );
    await client.query('SELECT');
    await client.query('COMMIT');
    return 'created';
  } catch (error) {
    await client.query('ROLLBACK');
    return (error as { code: string }).code;
  }
}

it('simultaneous transactions create exactly as many passes as the limit allows, without a deadlock', async () => {
  const outcomes: string[] = [];
  for (let n = 0; n < ACCOUNTS; n++) {
    const accountId = await accountWith(LIMIT);
    const createSome = async (client: Client) => {
      for (let i = 0; i < CREATIONS_OF_EACH / ACCOUNTS; i++) outcomes.push(await create(client, accountId));
    };
    await Promise.all(clients.map(createSome));
  }
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  expect({ created: count('created'), rejected: count('PW403'), deadlocks: count('40P01') }).toEqual({
    created: ACCOUNTS * LIMIT,
    rejected: CONNECTIONS * CREATIONS_OF_EACH - ACCOUNTS * LIMIT,
    deadlocks: 0,
  });
});
