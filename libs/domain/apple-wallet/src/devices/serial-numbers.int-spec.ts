import { randomUUID } from 'node:crypto';
import { newId } from '@passwright/core';
import { Database } from '@passwright/database';
import { TestApp } from '../test-app.fixtures.js';
import { issued, Phone } from '../phone.fixtures.js';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

describe.each([
  ['names its account', newId('acc'), 38],
  ['names no account, as in earlier versions', `acc_${randomUUID()}`, 22],
])('a pass whose serial number %s', (_, accountId, length) => {
  it('the service registers, updates and unregisters a phone, and stores the phone’s log', async () => {
    const account = await app.account(accountId);
    await account.template('generic');
    const [serial, phone] = [await issued(app, account, 'generic/ada', { primaryValue: 'Ada' }), new Phone(app)];
    expect(serial).toHaveLength(length);

    expect((await phone.register(serial)).status).toBe(201);
    await account.patch('generic/ada', { code: 'NEW' }).expect(200);
    expect(await phone.list()).toEqual([serial]);
    expect((await phone.fetch(serial)).status).toBe(200);
    await phone.log(`An update of serial number ${serial} failed`);
    await account.delete('generic/ada').expect(204);
    expect(await phone.list()).toEqual([serial]);
    expect((await phone.fetch(serial)).status).toBe(200);
    expect((await phone.register(serial)).status).toBe(200);
    expect((await phone.unregister(serial)).status).toBe(200);
    const { reads } = app.get(Database);
    const sql = 'SELECT serial_number FROM apple_log_line WHERE account_id = $1';
    expect(await reads.query(sql, [accountId])).toEqual([{ serial_number: serial }]);
  });
});

it('401 unauthorized for a serial number that names an account to which the pass does not belong', async () => {
  const account = await app.account(newId('acc'));
  await account.template('generic');
  const serial = await issued(app, account, 'generic/ada', { primaryValue: 'Ada' });
  const { id } = await app.account(newId('acc'));
  const [forged, phone] = [serial.slice(0, 16) + id.slice('acc_'.length), new Phone(app)];
  for (const request of [phone.fetch(forged), phone.register(forged), phone.unregister(forged)])
    expect((await request).status).toBe(401);
});
