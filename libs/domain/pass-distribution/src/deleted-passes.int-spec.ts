import { Database } from '@passwright/database';
import { DeletedPassesCron } from '@passwright/passes/testing';
import { TestApp } from './test-app.fixtures.js';

let app: TestApp;
beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());

const query = <Row>(sql: string, values: unknown[]) => app.get(Database).reads.query<Row[]>(sql, values);
const forget = () => app.get(DeletedPassesCron).forget({ signal: new AbortController().signal });

it('the service stores the tombstone of a deleted pass for 400 days, and longer while a wallet still needs it', async () => {
  const { id } = await app.account();
  const deleted = `INSERT INTO deleted_pass (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at)
    SELECT $1, $1 || n, 't', $2 || n, 'offer', '', $3::timestamptz - n * interval '1 s' FROM generate_series(1, $4::integer) n`;
  const now = app.clock.now();
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  await query(deleted, [id, 'old', daysAgo(401), 4500]);
  await query(`UPDATE deleted_pass SET deleted_at = $2 WHERE account_id = $1 AND pass_id = 'old4'`, [id, daysAgo(399)]);
  await query(
    `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
     VALUES ($1, 'phone', 'pass.example', $1, 'ab', now())`,
    [id],
  );
  await query(
    `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
     VALUES ($1, 'phone', $1 || '1', 't', now(), now())`,
    [id],
  );
  await query(
    `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, due_at, created_at)
     SELECT $1, 'i', 'r' || n, 't', 'offer', $1 || n, CASE WHEN n = 2 THEN now() END, now() FROM generate_series(2, 3) n`,
    [id],
  );
  await forget();
  const left = await query<{ pass_id: string }>('SELECT pass_id FROM deleted_pass WHERE account_id = $1 ORDER BY 1', [
    id,
  ]);
  expect(left.map((row) => row.pass_id)).toEqual(['old1', 'old2', 'old4']);
  expect(await query('SELECT id FROM google_resource WHERE account_id = $1', [id])).toEqual([{ id: 'r2' }]);
  await query('DELETE FROM apple_registration WHERE account_id = $1', [id]);
  await query('UPDATE google_resource SET due_at = NULL WHERE account_id = $1', [id]);
  await forget();
  expect(await query('SELECT pass_id FROM deleted_pass WHERE account_id = $1', [id])).toEqual([{ pass_id: 'old4' }]);
});
