import { PassExpiryCron } from '@passwright/passes/testing';
import { running, UpdatesWorld } from '../updates.fixtures.js';
import { PassChanged } from './push.jobs.js';

let world: UpdatesWorld;
let accountId: string;

beforeAll(async () => (world = await UpdatesWorld.start()));
afterAll(() => world.stop());
beforeEach(async () => {
  accountId = await world.account();
});

const inMinutes = (minutes: number) => new Date(world.clock.now().getTime() + minutes * 60_000);
const expire = () => world.get(PassExpiryCron).expire(running());

async function pass(serial: string) {
  const sql = 'SELECT expired_at, version, updated_at FROM pass WHERE account_id = $1 AND serial_number = $2';
  const [row] = await world.db.query<{ expired_at: Date | null; version: number; updated_at: Date }[]>(sql, [
    accountId,
    serial,
  ]);
  return row!;
}

it('the expiry of a pass creates one new version and notifies the devices that have the pass', async () => {
  const expiresAt = inMinutes(1);
  const serial = await world.pass(accountId, { expiresAt });
  const other = await world.pass(accountId, { expiresAt });
  await world.device(accountId, serial);
  await expire();
  expect(await pass(serial)).toMatchObject({ expired_at: null, version: 1 });

  world.clock.advance(60);
  const now = world.clock.now();
  await expire();
  await expire();
  expect(await pass(serial)).toEqual({ expired_at: now, version: 2, updated_at: now });
  expect(await pass(other)).toEqual({ expired_at: now, version: 2, updated_at: now });
  const jobs = await world.jobs(PassChanged.task, accountId);
  expect(jobs.map(({ payload }) => payload)).toEqual([{ accountId, serialNumber: serial }]);
});

it('the new version of an expired pass is dated at least a second after all earlier versions', async () => {
  const serial = await world.pass(accountId, { expiresAt: world.clock.now() });
  await expire();
  expect((await pass(serial)).updated_at).toEqual(new Date(world.clock.now().getTime() + 1000));

  const another = await world.pass(accountId, { expiresAt: world.clock.now() });
  await world.db.query('UPDATE template SET updated_at = $2 WHERE account_id = $1', [accountId, inMinutes(5)]);
  await expire();
  expect((await pass(another)).updated_at).toEqual(new Date(inMinutes(5).getTime() + 1000));
});

it.each([
  ['is void', { voidedAt: new Date() }],
  ['is redeemed', { redeemedAt: new Date() }],
])('the expiry of a pass that %s creates no new version, because the holder sees no change', async (_, changes) => {
  const serial = await world.pass(accountId, { expiresAt: world.clock.now(), ...changes });
  await world.device(accountId, serial);
  const { updated_at } = await pass(serial);
  await expire();
  expect(await pass(serial)).toEqual({ expired_at: world.clock.now(), version: 1, updated_at });
  expect(await world.jobs(PassChanged.task, accountId)).toEqual([]);
});

async function manyPasses(count: number, expiresAt: Date) {
  await world.db.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
       metadata, version, created_at, updated_at, expires_at)
     SELECT $1, 't', 'offer', 'p' || n, 'exp-' || n || $1, 'c' || n, '[]', '[]', '[]', '{}', 1, $2, $2, $3
     FROM generate_series(1, $4) n`,
    [accountId, world.clock.now(), expiresAt, count],
  );
}

it('the first transaction of a run expires a pass of one account beside many earlier ones of another account', async () => {
  const [large, small] = [accountId, await world.account()];
  await manyPasses(700, inMinutes(-2));
  accountId = small;
  const serial = await world.pass(small, { expiresAt: inMinutes(-1) });
  await expect(world.get(PassExpiryCron).expire({ signal: AbortSignal.abort() })).rejects.toThrow();
  const [{ count }] = await world.db.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM pass WHERE account_id = $1 AND expired_at IS NOT NULL',
    [large],
  );
  expect([(await pass(serial)).expired_at, count]).toEqual([world.clock.now(), 499]);
  await expire();
});

it('two nodes together expire each pass exactly once, even after a long stop', async () => {
  const node = await world.node();
  await manyPasses(1300, world.clock.now());
  world.clock.advance(86_400);
  await Promise.all([expire(), node.get(PassExpiryCron).expire(running())]);
  // Run again for passes that one node skipped because the other had locked them.
  await expire();
  const versions = await world.db.query(
    'SELECT version, count(*)::int AS count FROM pass WHERE account_id = $1 AND expired_at IS NOT NULL GROUP BY version',
    [accountId],
  );
  expect(versions).toEqual([{ version: 2, count: 1300 }]);
  await node.close();
});
