import { createHash } from 'node:crypto';
import { WalletUnavailable } from '@passwright/core';
import { Database } from '@passwright/database';
import { TemplatesService } from '@passwright/templates';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { issued, passType, Phone, unpacked } from '../phone.fixtures.js';

let app: TestApp;
let account: TestAccount;
let phone: Phone;
let serial: string;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.500Z');
  account = await app.account();
  await account.template('generic');
  serial = await issued(app, account, 'generic/ada', {
    primaryValue: 'Ada Lovelace',
    code: 'SECRET-CODE',
    backFields: [{ key: 'note', label: 'Note', value: 'A personal note' }],
    locations: [{ address: 'A personal place', latitude: 1, longitude: 2 }],
  });
  phone = new Phone(app);
});
afterEach(() => jest.restoreAllMocks());

async function passJson(body: Buffer): Promise<Record<string, unknown>> {
  const files = await unpacked(body);
  const { 'manifest.json': manifest, signature, ...content } = Object.fromEntries(files);
  const hashes = Object.entries(content).map(([name, data]) => [name, createHash('sha1').update(data).digest('hex')]);
  expect(JSON.parse(manifest!.toString())).toEqual(Object.fromEntries(hashes));
  expect(signature!.length).toBeGreaterThan(0);
  expect(Object.keys(content)).toEqual(expect.arrayContaining(['icon.png', 'icon@2x.png', 'icon@3x.png']));
  return JSON.parse(content['pass.json']!.toString()) as Record<string, unknown>;
}

describe('the current package', () => {
  it('the service serves a phone the same package and headers as the public link', async () => {
    const link = `/v1/pass/${account.id}/generic/ada/walletA`;
    const [here, there] = [await phone.fetch(serial), await app.visit(link)];
    expect(here.status).toBe(200);
    const { date: _, connection: __, 'x-request-id': ___, ...headers } = here.headers;
    expect(there.headers).toMatchObject(headers);
    expect(headers).toMatchObject({
      'content-type': 'application/vnd.apple.pkpass',
      'last-modified': expect.any(String),
    });
    expect(await passJson(here.body)).toMatchObject({ serialNumber: serial, passTypeIdentifier: passType });
  });

  it('304 for a phone that has the current package, and 200 with a later Last-Modified after each change', async () => {
    let since = (await phone.fetch(serial)).headers['last-modified'] as string;
    for (const change of [
      () => account.patch('generic/ada', { code: 'NEW' }).expect(200),
      () => account.archive('generic'),
      () => account.unarchive('generic'),
      () => account.post('generic/ada/void').expect(200),
      () => account.delete('generic/ada').expect(204),
    ]) {
      const unmodified = await phone.fetch(serial, since);
      expect([unmodified.status, unmodified.body.length]).toEqual([304, 0]);
      await change();
      const { status, headers } = await phone.fetch(serial, since);
      expect([status, Date.parse(headers['last-modified']!) > Date.parse(since)]).toEqual([200, true]);
      since = headers['last-modified']!;
    }
    expect((await phone.fetch(serial, since)).status).toBe(304);
  });

  it.each(['yesterday', '', '0', '2030', 'x 9999', '2030-01-01T00:00:00Z', 'Fri, 20 Nov 2026 09:59:59 GMT'])(
    '200 for the condition %j, which does not prove that the phone has the package',
    async (since) => {
      const response = await phone.fetch(serial).set('If-Modified-Since', since);
      expect(response.status).toBe(200);
    },
  );

  it('the service supports If-None-Match, HEAD, and paths with a trailing slash or two leading slashes', async () => {
    const { headers } = await phone.fetch(serial);
    expect((await phone.fetch(serial).set('If-None-Match', headers.etag!)).status).toBe(304);
    const sign = jest.spyOn(app.signer, 'sign');
    const head = await app.request('head', phone.passPath(serial)).set('Authorization', phone.authorization(serial));
    expect([head.status, head.headers['last-modified']]).toEqual([200, headers['last-modified']]);
    expect(sign).not.toHaveBeenCalled();
    for (const path of [`${phone.passPath(serial)}/`, `/${phone.passPath(serial)}`]) {
      expect((await app.request('get', path).set('Authorization', phone.authorization(serial))).status).toBe(200);
    }
  });

  it('503 wallet_unavailable without a valid certificate', async () => {
    jest.spyOn(app.signer, 'identity').mockRejectedValue(new WalletUnavailable('The certificate has expired.'));
    const { status, body } = await phone.fetch(serial);
    expect([status, JSON.parse(body.toString()).code]).toEqual([503, 'wallet_unavailable']);
  });
});

it.each(['AndroidPass', 'WalletUnionPass'])(
  '200 for a wallet that sends the token with the scheme %s',
  async (scheme) => {
    const other = new Phone(app, 'd', passType, scheme);
    expect((await other.fetch(serial)).status).toBe(200);
    const strange = await app.request('get', other.passPath('4fQz8LwXk2bN0aVtYc7mRd')).set({
      Authorization: other.authorization(serial),
    });
    expect([strange.status, strange.body.code]).toEqual([401, 'unauthorized']);
  },
);

it('the same 401 unauthorized for a wrong token, an unknown serial number and another pass type', async () => {
  const strange = '4fQz8LwXk2bN0aVtYc7mRd';
  const other = new Phone(app, 'd', 'pass.com.example.other');
  for (const [path, authorization] of [
    [phone.passPath(serial), ''],
    [phone.passPath(serial), phone.authorization(strange)],
    [phone.passPath(strange), phone.authorization(strange)],
    [phone.passPath('x'.repeat(10_000)), phone.authorization(serial)],
    [other.passPath(serial), phone.authorization(serial)],
  ] as const) {
    const { status, body, headers } = await app.request('get', path).set('Authorization', authorization);
    expect([status, body.code, headers['www-authenticate']]).toEqual([401, 'unauthorized', 'ApplePass']);
    expect(body.message).toContain('ApplePass <token>');
  }
});

describe('the package of a deleted pass', () => {
  const personal = ['Ada Lovelace', 'SECRET-CODE', 'A personal note', 'A personal place'];

  it('the package of a deleted pass is void, keeps its serial number and token, and does not contain personal data', async () => {
    const live = await passJson((await phone.fetch(serial)).body);
    await account.delete('generic/ada').expect(204);
    const { status, headers, body } = await phone.fetch(serial);
    const files = await unpacked(body);
    const json = await passJson(body);
    expect([status, headers['content-type']]).toEqual([200, 'application/vnd.apple.pkpass']);
    for (const key of ['serialNumber', 'authenticationToken', 'webServiceURL', 'passTypeIdentifier']) {
      expect(json[key]).toEqual(live[key]);
    }
    expect(json).toMatchObject({ voided: true, description: 'Sundown Coffee', generic: { primaryFields: [] } });
    expect(json).not.toHaveProperty('barcodes');
    expect([...files.keys()].filter((name) => name.endsWith('.png'))).toHaveLength(3);
    for (const text of personal) expect([...files.values()].some((file) => file.includes(text))).toBe(false);
    expect(headers.etag).toMatch(/^W\/"[\w.]+"$/);
    expect((await phone.fetch(serial).set('If-None-Match', headers.etag!)).status).toBe(304);
  });

  it('the package of a deleted pass stays the same after its template is changed or deleted', async () => {
    await account.delete('generic/ada').expect(204);
    const { headers, body } = await phone.fetch(serial);
    await account.archive('generic');
    expect((await phone.fetch(serial, headers['last-modified'])).status).toBe(304);
    await app.get(TemplatesService).delete(account.id, 'generic');
    expect(await passJson((await phone.fetch(serial)).body)).toEqual(await passJson(body));
  });

  it('a pass with the id of a deleted pass has a new serial number, and phones keep the void package', async () => {
    await phone.register(serial).expect(201);
    await account.delete('generic/ada').expect(204);
    const again = await issued(app, account, 'generic/ada', { primaryValue: 'Bob' });
    expect(again).not.toBe(serial);
    expect(await passJson((await phone.fetch(serial)).body)).toMatchObject({ serialNumber: serial, voided: true });
    const json = await passJson((await phone.fetch(again)).body);
    expect(json).toMatchObject({ serialNumber: again });
    expect(json).not.toHaveProperty('voided');
  });

  it('the service serves a void package if the pass and its template are deleted during the request', async () => {
    const templates = app.get(TemplatesService);
    const get = templates.get.bind(templates);
    jest.spyOn(templates, 'get').mockImplementationOnce(async (accountId, id) => {
      await app.get(Database).reads.query(
        `WITH gone AS (DELETE FROM pass WHERE account_id = $1 RETURNING *)
         INSERT INTO deleted_pass SELECT account_id, serial_number, template_id, id, 'generic', 'Sundown', now() FROM gone`,
        [accountId],
      );
      await templates.delete(accountId, id);
      return get(accountId, id);
    });
    const { status, body } = await phone.fetch(serial);
    expect(status).toBe(200);
    expect(await passJson(body)).toMatchObject({ voided: true, serialNumber: serial });
  });
});

it('the service queries the database once for a pass that the phone already has', async () => {
  const since = (await phone.fetch(serial)).headers['last-modified'];
  const lookUps = jest.spyOn(app.get(Database), 'lookUp');
  expect((await phone.fetch(serial, since)).status).toBe(304);
  expect(lookUps).toHaveBeenCalledTimes(1);
});

it('the service uses an index to find existing and deleted passes by serial number', async () => {
  const { reads } = app.get(Database);
  const plan = async (from: string) =>
    JSON.stringify(
      await reads.query(`EXPLAIN (FORMAT JSON) SELECT * FROM ${from} WHERE p.serial_number = $1`, [serial]),
    );
  await reads.query(
    `INSERT INTO deleted_pass SELECT $1, $1 || n, 'generic', 'p' || n, 'offer', '', now() FROM generate_series(1, 5000) n`,
    [account.id],
  );
  await reads.query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
       metadata, version, created_at, updated_at)
     SELECT $1, 'generic', 'generic', 'p' || n, $1 || 'x' || n, 'c' || n, '[]', '[]', '[]', '{}', 1, now(), now()
     FROM generate_series(1, 5000) n`,
    [account.id],
  );
  for (const table of ['pass', 'deleted_pass']) await reads.query(`ANALYZE ${table}`);
  const join = 'JOIN template t ON t.account_id = p.account_id AND t.id = p.template_id';
  expect(await plan(`pass p ${join}`)).toContain('"Index Name":"pass_serial_idx"');
  expect(await plan(`deleted_pass p LEFT ${join}`)).toContain('"Index Name":"deleted_pass_serial_idx"');
});
