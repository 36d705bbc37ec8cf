import { Database } from '@passwright/database';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleDueCron } from './google-due.cron.js';
import { GoogleSender } from './google-sender.handlers.js';
import { GoogleSyncQueue } from './google-sync-queue.handlers.js';
import { GoogleWorld, running } from '../google-world.fixtures.js';

const start = new Date('2026-11-20T10:00:00.000Z');

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;
let serial: string;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set(start);
  app.google.reset();
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
  await world.link(account, 'offer/ada').expect(200);
  serial = await world.serialOf(account, 'ada');
  app.google.reset();
});

const writes = () => app.google.writes.filter(({ accountId }) => accountId === account.id);
const sent = () => writes().flatMap(({ message }) => message ?? []);
const inDatabase = (sql: string, ...values: unknown[]) =>
  app.get(Database).reads.query<object[]>(sql, [account.id, ...values]);

describe('messages for holders', () => {
  const message = { id: 'week', header: 'Member', body: 'Until 3 March', until: '2026-11-20T10:30:00.000Z' };
  const notify = (other = {}) =>
    app.get(Database).transaction((tx) => {
      const pass = { accountId: account.id, serialNumber: serial };
      return app.get(GoogleSyncQueue).notifyHolders(tx, [pass], { ...message, ...other });
    });
  const ids = () => writes().map((write) => write.message?.id);

  it('the service sends a message once, together with a write of the object, and keeps the message on the pass', async () => {
    await notify();
    await world.send();
    expect(writes()).toMatchObject([{ part: 'object', message: { id: 'week', header: 'Member' } }]);
    expect(writes()[0]?.message).not.toHaveProperty('until');
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await world.send();
    expect(ids()).toEqual(['week', undefined]);
    const { id, header, body } = message;
    expect(app.google.objectOf(serial)?.messages).toEqual([{ id, header, body, messageType: 'TEXT' }]);
  });

  it('the service sends a message as soon as Google accepts writes again', async () => {
    await notify();
    app.google.result = () => ({ outcome: 'retry', status: 503, message: undefined });
    await world.send();
    app.google.result = () => ({});
    app.clock.advance(60);
    await world.send();
    await world.send();
    expect(sent()).toMatchObject([
      { id: 'week', mayExist: false },
      { id: 'week', mayExist: false },
    ]);
  });

  it('the service records a message that an interrupted write has already sent, and then writes the object', async () => {
    await notify();
    app.google.result = () => ({ outcome: 'retry', status: 503, message: 'unclear' });
    await world.send();
    const found = [{ id: 'week', notified: true }];
    app.google.result = (resource) => (resource.message ? { outcome: 'found', message: undefined, found } : {});
    app.clock.advance(60);
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    for (let times = 0; times < 2; times++) await world.send();
    expect(ids()).toEqual(['week', 'week', undefined]);
    const { id, header, body } = message;
    expect(app.google.objectOf(serial)?.messages).toEqual([{ id, header, body, messageType: 'TEXT' }]);
    const stored = await inDatabase(
      'SELECT messages FROM google_resource WHERE account_id = $1 AND messages IS NOT NULL',
    );
    expect(stored).toMatchObject([{ messages: [{ id: 'week', notified: true }] }]);
  });

  it('the service does not send a message that has expired', async () => {
    await notify({ until: '2026-11-20T09:59:59.999Z' });
    await world.send();
    expect(ids()).toEqual([]);
    expect(await world.rows(account)).toMatchObject([{ dueAt: null }, { dueAt: null }]);
  });

  it('the service sends a message that a node of an earlier version has queued', async () => {
    const sql =
      'UPDATE google_resource SET message = $2, due_at = $3 WHERE account_id = $1 AND serial_number IS NOT NULL';
    await inDatabase(sql, JSON.stringify(message), app.clock.now());
    await world.send();
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await world.send();
    expect(ids()).toEqual(['week', undefined]);
  });

  it('the service sends a waiting message even if a node of an earlier version has cleared the due time of its object', async () => {
    await notify();
    // Nodes of an earlier version ignore messages, and clear the due time after they have written the content.
    await inDatabase('UPDATE google_resource SET due_at = NULL WHERE account_id = $1');
    await world.send();
    expect(ids()).toEqual([]);
    await app.get(GoogleDueCron).look(running());
    expect(ids()).toEqual(['week']);
    await app.get(GoogleDueCron).look(running());
    expect(ids()).toEqual(['week']);
  });

  it('the service resumes waiting messages of every account, even if the first account always has more', async () => {
    const accounts = [account, await app.account()].sort((one, other) => (one.id < other.id ? -1 : 1));
    const left = JSON.stringify([{ id: 'week', header: 'Member', body: 'x', until: '2026-12-20T10:00:00.000Z' }]);
    const leave = (of: TestAccount | undefined, count: number) =>
      app.get(Database).reads.query(
        `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, created_at, messages)
         SELECT $1, 'x', 'l' || n, 'offer', 'offer', 'l' || n, $2, $3 FROM generate_series(1, $4::int) n
         ON CONFLICT (account_id, issuer_id, id) DO UPDATE SET due_at = NULL`,
        [of?.id, start, left, count],
      );
    const woken = `SELECT FROM google_resource WHERE account_id = $1 AND due_at IS NOT NULL`;
    jest.spyOn(app.get(GoogleSender), 'sendAllDue').mockResolvedValue();
    await leave(accounts[1], 1);
    for (let times = 0; times < 2; times++) {
      await leave(accounts[0], 1000);
      await app.get(GoogleDueCron).look(running());
    }
    jest.restoreAllMocks();
    expect(await app.get(Database).reads.query(woken, [accounts[1]?.id])).toHaveLength(1);
    await app.get(Database).reads.query("DELETE FROM google_resource WHERE issuer_id = 'x'");
  });

  it('the service sends several messages one after another, each only once', async () => {
    for (const id of ['a', 'b', 'a', 'c']) await notify({ id });
    for (let times = 0; times < 4; times++) await world.send();
    expect(ids()).toEqual(['a', 'b', 'c']);
  });

  it('the service drops a message that Google rejects', async () => {
    app.google.result = () => ({ message: 'rejected' });
    await notify();
    await world.send();
    app.google.result = () => ({});
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await world.send();
    expect(ids()).toEqual(['week', undefined]);
    expect(app.google.objectOf(serial)).not.toHaveProperty('messages');
  });

  it('the pass keeps the newest message and the nine messages before it', async () => {
    const all = Array.from({ length: 12 }, (_, n) => `m${n}`);
    for (const id of all) {
      await notify({ id });
      await world.send();
    }
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await world.send();
    const shown = app.google.objectOf(serial)?.messages as { id: string }[];
    expect(shown.map(({ id }) => id)).toEqual(all.slice(3));
    const counts = writes().map(({ body }) => (body.messages as object[] | undefined)?.length ?? 0);
    expect(counts).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9]);
  });

  it('a deleted pass is written without its messages', async () => {
    await notify();
    await world.send();
    await notify({ id: 'next' });
    await account.delete('offer/ada').expect(204);
    await world.send();
    expect(ids()).toEqual(['week', undefined]);
    expect(app.google.objectOf(serial)).not.toHaveProperty('messages');
    const rows = await inDatabase('SELECT FROM google_resource WHERE account_id = $1 AND messages IS NOT NULL');
    expect(rows).toEqual([]);
  });
});
