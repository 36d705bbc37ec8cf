import { randomId } from '@passwright/core';
import { Database } from '@passwright/database';
import { type TemplateRequest, TemplatesService } from '@passwright/templates';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;
let database: Database;

beforeAll(async () => {
  app = await TestApp.start();
  database = app.get(Database);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.500Z');
  account = await app.account();
  await account.template('offer');
});

/** Issues a pass with this id and registers a phone for it. */
async function heldPass(id: string): Promise<string> {
  await account.post(`offer/${id}`, { code: id }).expect(200);
  const [row] = await database.reads.query<{ serial: string }[]>(
    'SELECT serial_number AS serial FROM pass WHERE account_id = $1 AND id = $2',
    [account.id, id],
  );
  const deviceId = randomId();
  await database.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       VALUES ($1, $2, 'pass.com.example.test', $2, 'abcd', now())`,
      [account.id, deviceId],
    );
    await tx.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       VALUES ($1, $2, $3, 'offer', now(), now())`,
      [account.id, deviceId, row!.serial],
    );
  });
  return row!.serial;
}

/** Returns and deletes the jobs that were added for this account, except those about images. */
async function takeJobs(): Promise<{ task: string; payload: Record<string, string> }[]> {
  const [rows] = await database.transaction((tx) =>
    tx.query<[{ task: string; payload: Record<string, string> }[], number]>(
      `DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
       WHERE t.id = j.task_id AND j.payload->>'accountId' = $1 AND t.identifier <> 'images.released' RETURNING t.identifier AS task, j.payload`,
      [account.id],
    ),
  );
  return rows;
}

describe('a change of a pass that a device holds', () => {
  it('the service adds one push job for any change of a pass that a holder can see', async () => {
    const serialNumber = await heldPass('ada');
    const payload = { accountId: account.id, serialNumber };
    for (const change of [
      () => account.patch('offer/ada', { code: 'NEW' }).expect(200),
      () => account.post('offer/ada', { code: 'NEWER' }).expect(200),
      () => account.post('offer/ada/void').expect(200),
      () => account.post('offer/ada/unvoid').expect(200),
      () => account.post('offer/ada/redeem').expect(200),
      () => account.delete('offer/ada').expect(204),
    ]) {
      await change();
      expect(await takeJobs()).toEqual([{ task: 'passes.changed', payload }]);
    }
  });

  it('several changes of a pass share one push job until that job starts', async () => {
    const serials = [await heldPass('ada'), await heldPass('bob')];
    for (const code of ['A', 'B', 'C']) {
      for (const id of ['ada', 'bob']) await account.patch(`offer/${id}`, { code: `${id}${code}` }).expect(200);
    }
    expect((await takeJobs()).map(({ payload }) => payload.serialNumber).sort()).toEqual(serials.sort());
  });

  it('the response to a change says that lock screens show the change, or that no device has the pass', async () => {
    await heldPass('ada');
    await account.post('offer/bob', {}).expect(200);
    const seat = (value: string) => ({ fields: [{ key: 'seat', label: 'Seat', value }] });
    const onPhones = async (id: string) => {
      await account.patch(`offer/${id}`, seat('12')).expect(200);
      return (await account.patch(`offer/${id}`, seat('14')).expect(200)).body.notifications.walletA as object[];
    };
    const line = { key: 'seat', message: 'Seat: 14' };
    expect(await onPhones('ada')).toEqual([{ ...line, shown: 'notification', reason: null }]);
    expect(await onPhones('bob')).toEqual([{ ...line, shown: 'nowhere', reason: 'not_installed' }]);
  });

  it('the service does not add a push job for a change of metadata or an update without changes', async () => {
    await heldPass('ada');
    await account.patch('offer/ada/metadata', { metadata: { a: 1 } }).expect(200);
    await account.patch('offer/ada', { metadata: { b: 2 } }).expect(200);
    await account.patch('offer/ada', { code: 'ada' }).expect(200);
    await account.post('offer/ada', { code: 'ada' }).expect(200);
    await account.post('offer/ada/unvoid').expect(200);
    expect(await takeJobs()).toEqual([]);
  });

  it('the service does not add a push job if no device holds the pass', async () => {
    await account.post('offer/bob', {}).expect(200);
    await account.patch('offer/bob', { code: 'NEW' }).expect(200);
    expect(await takeJobs()).toEqual([]);
  });
});

describe('a change of a template', () => {
  it('the service adds one push job when a template is archived or un-archived, but none if nothing changes', async () => {
    const payload = { accountId: account.id, templateId: 'offer' };
    await account.archive('offer');
    expect(await takeJobs()).toEqual([{ task: 'templates.changed', payload }]);
    await account.archive('offer');
    expect(await takeJobs()).toEqual([]);
    await account.unarchive('offer');
    expect(await takeJobs()).toEqual([{ task: 'templates.changed', payload }]);
  });
});

describe('the response to a save of a template', () => {
  it('the response says that lock screens show the change only if a device has an existing pass of the template', async () => {
    const offer = {
      type: 'offer',
      title: 'Fair',
      issuerName: 'Hall',
      foregroundColor: '#fff',
      backgroundColor: '#123',
    };
    const onPhones = async (value: string) => {
      const fields = [{ key: 'gate', label: 'Gate', value }];
      const request = { ...offer, fields } as unknown as TemplateRequest;
      return (await app.get(TemplatesService).store(account.id, 'offer', request, null)).notices?.apple;
    };
    await heldPass('ada');
    await account.post('offer/bob', {}).expect(200);
    await onPhones('A');
    expect(await onPhones('B')).toMatchObject([{ key: 'gate', message: 'Gate: B', shown: 'notification' }]);
    await account.delete('offer/ada').expect(204);
    expect(await onPhones('C')).toMatchObject([{ key: 'gate', message: 'Gate: C', shown: 'nowhere' }]);
  });
});

describe('the version of a pass', () => {
  const version = async () =>
    (await app.head(`/v1/pass/${account.id}/offer/ada/walletA`)).headers['last-modified'] as string;

  it('each of several simultaneous changes of a pass and its template creates its own version of the pass', async () => {
    await account.post('offer/ada', {}).expect(200);
    const before = Date.parse(await version());
    await Promise.all([
      ...Array.from({ length: 5 }, (_, n) => account.patch('offer/ada', { code: `C${n}` }).expect(200)),
      account.archive('offer'),
      ...Array.from({ length: 5 }, (_, n) => account.patch('offer/ada', { code: `D${n}` }).expect(200)),
    ]);
    // The clock stands still, so each of the 11 changes is dated a second after the previous one.
    expect(Date.parse(await version()) - before).toBe(11_000);
  });

  it('the query for the latest change of a template’s passes uses an index when the template is archived', async () => {
    await database.transaction((tx) =>
      tx.query(
        `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
           metadata, version, created_at, updated_at)
         SELECT $1, 'offer', 'offer', 'p' || n, 's' || n, 'c' || n, '[]', '[]', '[]', '{}', 1, now(), now()
         FROM generate_series(1, 5000) n`,
        [account.id],
      ),
    );
    await database.reads.query('ANALYZE pass_update_order');
    const [{ prosrc: sql }] = await database.reads.query<[{ prosrc: string }]>(
      `SELECT prosrc FROM pg_proc WHERE proname = 'last_pass_update'`,
    );
    const statement = sql.replace('= account', `= '${account.id}'`).replace('= template', `= 'offer'`);
    const plan = await database.reads.query(`EXPLAIN (FORMAT JSON) ${statement}`);
    expect(JSON.stringify(plan)).toContain('"Index Name":"pass_update_order_pkey"');
    expect(JSON.stringify(plan)).toContain('"Node Type":"Limit"');
  });
});
