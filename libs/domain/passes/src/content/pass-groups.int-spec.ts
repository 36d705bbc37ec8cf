import { Database } from '@passwright/database';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { areLinkedSql, linkingSql } from '../wallets/related-passes.repository.js';
import { findRelatedSql, WalletPassesRepository } from '../wallets/wallet-passes.repository.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  await account.template('offer');
  await account.template('event');
  await account.post('offer/eve', {}).expect(200);
});

const eve = { templateId: 'offer', passId: 'eve' };
const related = async (templateId: string, passId: string, limit = 9) => {
  const address = { accountId: account.id, templateId, passId };
  const found = await app.get(WalletPassesRepository).find(address);
  const rows = await app.get(WalletPassesRepository).findRelated(address, found!.pass, limit);
  return rows.map((one) => `${one.address.templateId}:${one.address.passId}`);
};

it('a pass returns its group and its links, and omits both properties if they are empty', async () => {
  const { body } = await account.post('offer/ada', { group: { id: 'order-1' }, linkedPasses: [eve, eve] }).expect(200);
  expect(body.pass).toMatchObject({ group: { id: 'order-1', order: 0 }, linkedPasses: [eve] });
  const read = (await account.get('offer/ada')).body.pass;
  expect([read.group, read.linkedPasses]).toEqual([{ id: 'order-1', order: 0 }, [eve]]);
  const plain = (await account.post('offer/bob', { group: null, linkedPasses: [] })).body.pass;
  expect(plain).not.toHaveProperty('group');
  expect(plain).not.toHaveProperty('linkedPasses');
});

it('a patch merges the group and replaces all links, but keeps properties that it does not have', async () => {
  await account.post('offer/ada', { group: { id: 'order-1', order: 2 }, linkedPasses: [eve] }).expect(200);
  const after = async (patch: object) => {
    const { group, linkedPasses } = (await account.patch('offer/ada', patch).expect(200)).body.pass;
    return [group, linkedPasses];
  };
  expect(await after({ code: 'NEW' })).toEqual([{ id: 'order-1', order: 2 }, [eve]]);
  expect(await after({ group: { id: 'order-2' } })).toEqual([{ id: 'order-2', order: 2 }, [eve]]);
  expect(await after({ group: { id: 'order-2', order: null } })).toEqual([{ id: 'order-2', order: 0 }, [eve]]);
  expect(await after({ linkedPasses: [] })).toEqual([{ id: 'order-2', order: 0 }, undefined]);
  expect(await after({ group: null })).toEqual([undefined, undefined]);
});

it('a pass gets a new version when its group changes, but not when the same group is sent again', async () => {
  const { headers } = await account.post('offer/ada', { group: { id: 'a', order: 1 } }).expect(200);
  const again = await account.patch('offer/ada', { group: { order: 1, id: 'a' } }).expect(200);
  expect(again.headers.etag).toBe(headers.etag);
  app.clock.advance(10);
  const changed = await account.patch('offer/ada', { group: { id: 'a', order: 3 } }).expect(200);
  expect(changed.body.pass.updatedAt).toBe('2026-11-20T10:00:10.000Z');
});

it.each([
  ['a group without an id', { group: { order: 1 } }, /^group\.id is required/],
  ['a group whose id has a space', { group: { id: 'order 1' } }, /^group\.id must be letters, digits/],
  ['a group id of 65 characters', { group: { id: 'x'.repeat(65) } }, /^group\.id must be .*64/],
  ['a negative order', { group: { id: 'a', order: -1 } }, /order must not be less than 0/],
  ['an order with a fraction', { group: { id: 'a', order: 1.5 } }, /order must be a whole number/],
  ['an order as text', { group: { id: 'a', order: '1' } }, /order must be a whole number/],
  ['a text as group', { group: 'a' }, /^group must be an object/],
  ['a link without a pass', { linkedPasses: [{ templateId: 'offer' }] }, /^linkedPasses\[0\]\.passId/],
  [
    'eleven links',
    { linkedPasses: Array.from({ length: 11 }, (_, n) => ({ ...eve, passId: `p${n}` })) },
    /^linkedPasses must contain no more than 10/,
  ],
  ['a link to itself', { linkedPasses: [{ templateId: 'offer', passId: 'ada' }] }, /must not name the pass itself/],
  [
    'a link to a pass that does not exist',
    { linkedPasses: [eve, { templateId: 'offer', passId: 'nobody' }] },
    /^linkedPasses names pass "nobody" of a template "offer", which does not exist/,
  ],
])('400 validation_failed for a pass with %s', async (_, change, message) => {
  const failure = {
    status: 400,
    body: expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) }),
  };
  const created = await account.post('offer', { id: 'ada', ...change });
  expect({ status: created.status, body: created.body }).toEqual(failure);
  const upserted = await account.post('offer/ada', change);
  expect({ status: upserted.status, body: upserted.body }).toEqual(failure);
  await account.post('offer/ada', {}).expect(200);
  const patched = await account.patch('offer/ada', change);
  expect({ status: patched.status, body: patched.body }).toEqual(failure);
});

it('400 validation_failed for a link to a pass of another account, with the same error as for an unknown pass', async () => {
  const other = await app.account();
  await other.template('offer');
  await other.post('offer/theirs', {}).expect(200);
  const linkedPasses = [{ templateId: 'offer', passId: 'theirs' }];
  const { body } = await account.post('offer/ada', { linkedPasses }).expect(400);
  expect(body.message).toMatch(/^linkedPasses names pass "theirs" of a template "offer", which does not exist/);
});

it('a pass can keep its link to a deleted pass, but cannot link to a deleted pass again', async () => {
  await account.post('offer/ada', { linkedPasses: [eve] }).expect(200);
  await account.delete('offer/eve').expect(204);
  await account.patch('offer/ada', { code: 'NEW', linkedPasses: [eve] }).expect(200);
  await account.post('offer/ada', { linkedPasses: [eve] }).expect(200);
  expect(await related('offer', 'ada')).toEqual([]);
  await account.patch('offer/ada', { linkedPasses: null }).expect(200);
  await account.patch('offer/ada', { linkedPasses: [eve] }).expect(400);
});

it('a link to a deleted pass leads to a new pass with the same ids only after the link is set again', async () => {
  await account.post('offer/ada', { linkedPasses: [eve] }).expect(200);
  await account.post('event/bob', { group: { id: 'g', order: 1 } }).expect(200);
  const both = { linkedPasses: [{ templateId: 'event', passId: 'bob' }, eve], group: { id: 'g', order: 2 } };
  await account.post('offer/cem', both).expect(200);
  for (const pass of ['offer/eve', 'event/bob']) {
    await account.delete(pass).expect(204);
    await account.post(pass, pass === 'event/bob' ? { group: { id: 'g', order: 1 } } : {}).expect(200);
  }
  const repeated = (await account.post('offer/ada', { code: 'NEW', linkedPasses: [eve] }).expect(200)).body.pass;
  expect(repeated.linkedPasses).toEqual([eve]);
  expect(await related('offer', 'ada')).toEqual([]);
  // The group contains the new pass, because passes refer to their group by its id.
  expect(await related('offer', 'cem')).toEqual(['event:bob']);
  await account.patch('offer/ada', { linkedPasses: null }).expect(200);
  await account.patch('offer/ada', { linkedPasses: [eve] }).expect(200);
  expect(await related('offer', 'ada')).toEqual(['offer:eve']);
});

it('the passes of a batch can link to existing passes and to earlier lines of the batch', async () => {
  const lines = [
    { id: 'a', group: { id: 'g', order: 1 }, linkedPasses: [eve] },
    { id: 'b', group: { id: 'g', order: 0 }, linkedPasses: [{ templateId: 'offer', passId: 'a' }] },
    { id: 'c', linkedPasses: [{ templateId: 'offer', passId: 'nobody' }] },
  ];
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { text } = await app
    .send('post', '/v1/pass/offer/batch', account.id)
    .set('Content-Type', 'application/x-ndjson')
    .send(body);
  const outcomes = text.trim().split('\n');
  expect(outcomes[0]).toContain('"id":"a"');
  expect(outcomes[1]).toContain('"id":"b"');
  expect(outcomes[2]).toContain('linkedPasses names pass \\"nobody\\"');
  expect(await related('offer', 'a')).toEqual(['offer:b', 'offer:eve']);
});

it('the related passes of a pass are the other passes of its group in order, and then its linked passes', async () => {
  const group = (order: number) => ({ group: { id: 'g', order } });
  await account.post('offer/late', group(9)).expect(200);
  await account.post('event/early', group(1)).expect(200);
  await account.post('offer/other', { group: { id: 'h' } }).expect(200);
  const linkedPasses = [eve, { templateId: 'event', passId: 'early' }];
  await account.post('offer/ada', { ...group(5), linkedPasses }).expect(200);
  expect(await related('offer', 'ada')).toEqual(['event:early', 'offer:late', 'offer:eve']);
  expect(await related('offer', 'ada', 2)).toEqual(['event:early', 'offer:late']);
  expect(await related('event', 'early')).toEqual(['offer:ada', 'offer:late']);
  expect(await related('offer', 'eve')).toEqual([]);
  await account.delete('event/early').expect(204);
  expect(await related('offer', 'ada')).toEqual(['offer:late', 'offer:eve']);
});

it('a group with the same id in another account is a different group', async () => {
  const other = await app.account();
  await other.template('offer');
  await other.post('offer/theirs', { group: { id: 'g' } }).expect(200);
  await account.post('offer/ada', { group: { id: 'g' } }).expect(200);
  expect(await related('offer', 'ada')).toEqual([]);
});

it('the service uses indexes to find the passes of a group and the passes that link to a pass', async () => {
  await account.post('offer/ada', { group: { id: 'g' }, linkedPasses: [eve] }).expect(200);
  const { reads } = app.get(Database);
  await reads.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
      metadata, version, created_at, updated_at, pass_group, linked_passes)
     SELECT account_id, template_id, template_type, 'p' || n, 's' || n || account_id, 'c' || n, '[]', '[]', '[]', '{}', 1,
       created_at, created_at, jsonb_build_object('id', 'g' || n, 'order', 0),
       jsonb_build_array(jsonb_build_object('templateId', 'offer', 'passId', 'p' || n,
         'serialNumber', 's' || n))
     FROM pass, generate_series(1, 8000) n WHERE account_id = $1 AND id = 'ada'`,
    [account.id],
  );
  await reads.query('ANALYZE pass');
  const plan = async (sql: string, values: unknown[]) =>
    JSON.stringify(await reads.query(`EXPLAIN (FORMAT JSON) ${sql}`, values));
  const ofGroup = await plan(findRelatedSql, [account.id, 'g7', ['offer'], ['p1'], 'offer', 'p7', 9, ['s1']]);
  expect(ofGroup).toContain('pass_group_idx');
  const linking = await plan(linkingSql, [account.id, '["s7"]', '', 100]);
  const areLinked = await plan(areLinkedSql, [account.id, ['["s7"]', '["s8"]']]);
  for (const text of [linking, areLinked]) expect(text).toContain('pass_linked_idx');
  for (const text of [ofGroup, linking, areLinked]) expect(text).not.toMatch(/Seq Scan","[^}]*"Relation Name":"pass"/);
});
