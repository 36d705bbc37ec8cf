import { migratedDatabase, type TestDatabase } from '@passwright/testing';
import { Client } from 'pg';
import { adaptFunctions } from '../migrations/citus-differences.js';
import { triggersSql } from './distribution-sql.js';
import { BY_ROWS, functionByRows, type StatementTrigger } from './row-triggers.js';

type Trigger = StatementTrigger & { readonly drop: string; readonly create: string };

const opened: { database: TestDatabase; client: Client }[] = [];

afterEach(async () => {
  for (const { database, client } of opened.splice(0)) {
    await client.end();
    await database.drop();
  }
});

async function newDatabase(): Promise<Client> {
  const database = await migratedDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  opened.push({ database, client });
  return client;
}

/** Replaces the function of each trigger that reads transition tables. @returns the number of the triggers */
async function readRowsFromVariables(client: Client): Promise<number> {
  const { rows } = await client.query<Trigger>(triggersSql);
  const triggers = rows.filter(({ rows: names }) => names.length > 0);
  for (const trigger of triggers) {
    const definition = adaptFunctions(functionByRows(trigger));
    expect(definition).not.toContain('add_job');
    await client.query(definition);
    await client.query(trigger.drop);
    await client.query(trigger.create.replace(`${trigger.function}(`, `${trigger.function}${BY_ROWS}(`));
  }
  return triggers.length;
}

/** Changes passes and a template in an account with a webhook. */
async function changeEverything(client: Client): Promise<void> {
  await client.query(`INSERT INTO account (id, name, created_at) VALUES ('a', 'A', now())`);
  await client.query(
    `INSERT INTO webhook (account_id, id, secret, created_at, updated_at) VALUES ('a', 'w', '', now(), now())`,
  );
  await client.query(
    `INSERT INTO template SELECT 'a', 't', 'offer', '', '', '', '', NULL, '{}', false, '[]', '[]', '[]', NULL, NULL,
       NULL, NULL, 1, now(), now()`,
  );
  await issue(client, 1, 20);
  await issue(client, 21, 21);
  await client.query(`UPDATE pass SET voided_at = now(), updated_at = now() + interval '1 s' WHERE id = '1'`);
  await client.query(`UPDATE pass SET fields = '[1]', updated_at = now() + interval '9 s' WHERE account_id = 'a'`);
  await client.query(`UPDATE template SET updated_at = now() + interval '1 s' WHERE account_id = 'a'`);
  await client.query(`DELETE FROM pass WHERE account_id = 'a' AND id IN ('1', '2')`);
}

const issue = (client: Client, first: number, last: number) =>
  client.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
       metadata, version, created_at, updated_at)
     SELECT 'a', 't', 'offer', n, n, n, '[]', '[]', '[]', '{}', 1, now(), now() FROM generate_series($1::int, $2) n`,
    [first, last],
  );

async function countedAndRecorded(client: Client) {
  const { rows } = await client.query(`
    SELECT (SELECT sum(created)::int FROM pass_creation) AS created, (SELECT sum(active)::int FROM active_pass) AS active,
      (SELECT count(*)::int FROM pass_update_order) AS ordered,
      (SELECT jsonb_agg(e ORDER BY e) FROM (
        SELECT jsonb_build_array(type, data - '{updatedAt}'::text[], count(*)) AS e FROM webhook_event GROUP BY type, data - '{updatedAt}'::text[]
      ) AS events) AS events`);
  return rows[0] as { created: number; events: unknown[] };
}

it('the trigger functions for Citus count and record the same changes as those for a single server', async () => {
  const [plain, rewritten] = [await newDatabase(), await newDatabase()];
  expect(await readRowsFromVariables(rewritten)).toBeGreaterThan(15);
  for (const client of [plain, rewritten]) await changeEverything(client);
  const wanted = await countedAndRecorded(plain);
  expect(wanted).toMatchObject({ created: 21, active: 19, ordered: 19 });
  expect(wanted.events.length).toBeGreaterThan(40);
  expect(await countedAndRecorded(rewritten)).toEqual(wanted);
});
