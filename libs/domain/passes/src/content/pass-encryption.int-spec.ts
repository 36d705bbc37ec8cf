import { BackgroundEncryption, PersonalData } from '@passwright/accounts';
import { Database } from '@passwright/database';
import type { Template } from '@passwright/templates';
import { WalletPassesRepository } from '../wallets/wallet-passes.repository.js';
import { PassContentsRepository } from '../wallets/pass-contents.repository.js';
import { type TestAccount, TestApp } from '../test-app.fixtures.js';
import { type ManagedContent, ManagedPassesService } from '../managed/managed-passes.service.js';
import type { Pass } from './pass.entity.js';

const name = 'Ada Lovelace-Byron';
const content: ManagedContent = { primaryValue: name, expiresAt: null, voided: false, fields: [] };
const running = () => ({ signal: new AbortController().signal }) as never;

let app: TestApp;
let account: TestAccount;
let template: Template;
let pass: Pass;
beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
  template = await account.template('membership');
  [pass] = (await transaction((tx) =>
    app.get(ManagedPassesService).issue(tx, template, [content], app.clock.now()),
  )) as [Pass];
});

const transaction: Database['transaction'] = (work) => app.get(Database).transaction(work);
const sql = <Row>(text: string, values: unknown[]) => app.get(Database).reads.query<Row[]>(text, values);
const address = () => ({ accountId: account.id, templateId: template.id, passId: pass.id });
const change = (changes: Partial<ManagedContent>) =>
  transaction((tx) =>
    app.get(ManagedPassesService).change(tx, address(), () => ({ ...content, ...changes }), app.clock.now()),
  );
const columns = async () => {
  const [row] = await sql<{ row: string; primary_value: string | null; personal: Buffer | null; state: object }>(
    `SELECT p::text AS row, primary_value, personal, json_build_array(version, updated_at, changed_in) AS state
     FROM pass p WHERE account_id = $1`,
    [account.id],
  );
  if (!row) throw new Error('There is no pass');
  return row;
};
const shown = async () => {
  const { body } = await account.get(`${template.id}/${pass.id}`);
  const { body: list } = await account.get(template.id);
  const { passes } = await app.get(PassContentsRepository).read(account.id, [pass.serialNumber]);
  const apple = await app.get(WalletPassesRepository).find(address());
  return [
    body.pass.primaryValue,
    list.data[0].primaryValue,
    passes.get(pass.serialNumber)?.primaryValue,
    apple?.pass.primaryValue,
    (await app.get(WalletPassesRepository).findBySerialNumber(pass.serialNumber))?.row.pass.primaryValue,
  ];
};

it('a member’s name is encrypted in the database, but visible in the API, in lists and in wallets', async () => {
  expect((await columns()).row).not.toMatch(/lovelace|byron/i);
  expect(await shown()).toEqual(new Array(5).fill(name));
});

it('the stored bytes of a name change only if the name changes, so that triggers detect only real changes', async () => {
  const before = await columns();
  await change({ voided: true });
  expect(await columns()).toMatchObject({ primary_value: before.primary_value, personal: before.personal });
  await account.patch(`${template.id}/${pass.id}`, { metadata: { seat: 1 } }).expect(200);
  expect(await columns()).toMatchObject({ primary_value: before.primary_value, personal: before.personal });

  await change({ primaryValue: 'Ada King' });
  const after = await columns();
  expect(after.primary_value).not.toBe(before.primary_value);
  expect(after.row).not.toMatch(/\Wking\W/i);
  expect(await shown()).toEqual(new Array(5).fill('Ada King'));
});

it('the service does not encrypt the primary value of a pass without a member', async () => {
  const generic = await account.template('generic');
  await account.post(generic.id, { id: 'guest', primaryValue: 'Guest' }).expect(201);
  const rows = await sql<object>(`SELECT primary_value, personal FROM pass WHERE account_id = $1 AND id = 'guest'`, [
    account.id,
  ]);
  expect(rows).toEqual([{ primary_value: 'Guest', personal: null }]);
});

it('the background encryption of existing passes does not change their versions', async () => {
  await sql('UPDATE pass SET primary_value = $2, personal = NULL WHERE account_id = $1', [account.id, name]);
  await sql(`DELETE FROM encryption_key WHERE account_id = $1 AND id LIKE 'pass:%'`, [account.id]);
  expect(await shown()).toEqual(new Array(5).fill(name));
  const before = await columns();
  await app.get(BackgroundEncryption).run(running());
  const after = await columns();
  expect(after.row).not.toMatch(/lovelace|byron/i);
  expect(after.state).toEqual(before.state);
  expect(await shown()).toEqual(new Array(5).fill(name));
});

it('an old copy of a deleted pass is unreadable, because the key of the pass was deleted with the pass', async () => {
  const { row } = await columns();
  await transaction((tx) => app.get(ManagedPassesService).delete(tx, address(), app.clock.now()));
  const keys = await sql(`SELECT FROM encryption_key WHERE account_id = $1 AND id <> 'root'`, [account.id]);
  expect(keys).toEqual([]);
  expect(await app.get(PersonalData).find(account.id)).not.toBeNull();
  await sql('DELETE FROM deleted_pass WHERE account_id = $1', [account.id]);
  await sql('INSERT INTO pass SELECT ($1::text::pass).*', [row]);
  expect((await shown()).map((value) => value ?? null)).toEqual(new Array(5).fill(null));
});
