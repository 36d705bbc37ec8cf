import { analysedPlan } from '@passwright/testing';
import { UpdatesWorld } from '../updates.fixtures.js';
import { ofTemplateSql, RegisteredPassesRepository } from './registered-passes.repository.js';

/** A number of rows that is greater than the limit of the statement. */
const many = 2500;

let world: UpdatesWorld;
let accountId: string;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => (accountId = await world.account()));

const now = new Date('2026-11-20T10:00:00.000Z');
const hasOfTemplate = () => world.get(RegisteredPassesRepository).hasOfTemplate(world.db, accountId, 't');

/** Issues the passes with these numbers. */
async function issue(from: number, to: number): Promise<void> {
  await world.db.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
       metadata, version, created_at, updated_at)
     SELECT $1, 't', 'offer', 'p' || n, n || $1, n, '[]', '[]', '[]', '{}', 1, $2, $2 FROM generate_series($3::int, $4::int) n`,
    [accountId, now, from, to],
  );
}

/** Registers one device for each pass with these numbers. The passes need not exist. */
async function register(from: number, to: number): Promise<void> {
  await world.db.query(
    `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
     SELECT $1, 'd' || lpad(n::text, 9, '0'), 'p', n || $1, 't' || n, $2 FROM generate_series($3::int, $4::int) n`,
    [accountId, now, from, to],
  );
  await world.db.query(
    `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
     SELECT $1, 'd' || lpad(n::text, 9, '0'), n || $1, 't', $2, $2 FROM generate_series($3::int, $4::int) n`,
    [accountId, now, from, to],
  );
}

it('a template has registered passes only if a device is registered for an existing pass', async () => {
  expect(await hasOfTemplate()).toBe(false);
  await issue(1, 1);
  await register(2, 2);
  expect(await hasOfTemplate()).toBe(false);
  await issue(2, 2);
  expect(await hasOfTemplate()).toBe(true);
});

it('the service finds a registered pass of a template even if nearly all registered passes were deleted', async () => {
  await register(1, many);
  expect(await hasOfTemplate()).toBe(false);
  await issue(many, many);
  expect(await hasOfTemplate()).toBe(true);
});

it('a template counts as having a registered pass if a full search would take too long', async () => {
  await register(1, many);
  await issue(many + 1, 2 * many);
  expect(await hasOfTemplate()).toBe(true);
});

it('the query for registered passes reads a limited number of rows, however many registered passes were deleted', async () => {
  for (let i = 0; i < 3; i++) {
    accountId = await world.account();
    await register(1, many);
    await issue(many + 1, 2 * many);
  }
  await world.db.query('ANALYZE apple_registration, pass');
  const steps = await analysedPlan(world.db, ofTemplateSql, [accountId, 't']);
  const scans = steps.filter(({ 'Node Type': type }) => /^(?!CTE).*Scan/.test(type));
  const read = scans.reduce((sum, step) => sum + step['Actual Rows'] * step['Actual Loops'], 0);
  expect(read).toBeLessThan(many);
});
