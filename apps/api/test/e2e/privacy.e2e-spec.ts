import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FakeGoogleWallet } from '@passwright/testing';
import sharp from 'sharp';
import { AppleWalletWorld, mustBe, shown, until } from '../support/apple-wallet-world.js';
import { googleEnvironment } from '../support/google-wallet-world.js';
import { Agent } from '../support/mcp-agent.js';
import type { Account, ApiResponse } from '../support/running-service.js';

/*
 * A holder with all kinds of data, such as a member's pass on a phone and a pass at Google. Each value occurs nowhere
 * else, so that the tests can search for it after the erasure.
 */
let world: AppleWalletWorld;
let google: FakeGoogleWallet;
let account: Account;
let key: string;

beforeAll(async () => {
  google = await FakeGoogleWallet.start({ route: () => world.service.baseUrl });
  world = await AppleWalletWorld.start(googleEnvironment(google));
});
afterAll(async () => {
  await world.stop();
  await google.stop();
});
beforeEach(async () => {
  account = await world.newAccount();
  const sample = (name: string) => `https://passes.example.com/images/samples/${name}.png`;
  const images = { icon: sample('icon'), logo: sample('logo'), banner: sample('banner') };
  mustBe(200, await account.saveTemplate('generic', 'generic', { ...images, thumbnail: sample('thumbnail') }));
  mustBe(200, await account.saveTemplate('membership', 'membership', images));
  key = await account.apiKey('members:read', 'members:write');
  await member('PUT', '/v1/memberships/settings', { templateId: 'membership', reminders: [] });
});

function member(method: string, path: string, body?: object): Promise<ApiResponse> {
  return world.service.request(method, path, { token: key, body, headers: { 'Idempotency-Key': randomUUID() } });
}

/** Creates a unique value for each kind of data. */
function marks() {
  const mark = (what: string) => `${what}-${randomUUID().slice(0, 8)}`;
  const own = { name: mark('Ada'), data: mark('data'), code: mark('code'), meta: mark('meta'), field: mark('field') };
  return { ...own, email: `${mark('ada')}@example.com`, message: mark('message'), log: mark('log') };
}

async function upload(): Promise<string> {
  const noise = Buffer.from(Array.from({ length: 300 * 300 * 3 }, () => randomInt(256)));
  const image = await sharp(noise, { raw: { width: 300, height: 300, channels: 3 } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('thumbnail', new Blob([image]), 'face.png');
  const path = '/v1/templates/generic/images';
  const response = await world.service.request('POST', path, { token: account.token, body: form });
  return mustBe(200, response).body.thumbnail;
}

const once = () => ({ 'Idempotency-Key': randomUUID() });

async function holderOf(own: ReturnType<typeof marks>, thumbnail: string) {
  const { email, name, data, code, meta, field, message, log } = own;
  const created = mustBe(
    201,
    await member('POST', '/v1/memberships/members', { email, name, status: 'active', data: { data } }),
  );
  const issued = await account.get(`/v1/pass/membership/${created.body.passId}`);
  const held = await world.put(account, issued.body);
  await world.service.request('POST', '/v1/log', {
    body: { logs: [`Web service error for ${held.serial} (${log}): ${held.serial}`] },
  });
  const passHeaders = once();
  const passBody = {
    code,
    primaryValue: name,
    thumbnail,
    metadata: { meta },
    backFields: [{ key: 'f', label: 'F', value: field }],
  };
  const pass = mustBe(201, await account.post('/v1/pass/generic', passBody, passHeaders));
  const path = `/v1/pass/generic/${pass.body.pass.id}`;
  mustBe(202, await account.post(`${path}/send`, { to: email.toUpperCase(), message }, once()));
  const link = await world.service.request('GET', `/v1/pass/${account.id}/generic/${pass.body.pass.id}/walletB`);
  expect((await google.save(mustBe(200, link).body.url)).status).toBe(200);
  const { body: supervised } = await account.post('/v1/auth/keys', { name: 'Agent', supervised: true });
  const agent = await Agent.connect(world.service, supervised.key);
  const plan = { templateId: 'generic', passId: pass.body.pass.id, body: { primaryValue: `Lady ${name}` } };
  expect(await agent.result('updatePass', plan)).toMatchObject({ planned: true });
  await world.jobsIdle();
  return { held, path, memberId: created.body.id, passBody, passHeaders, pass: pass.body.pass };
}

/** Lists every row of the database with one of these texts, in upper or lower case. */
async function rowsWith(texts: readonly string[]): Promise<string[]> {
  const tables = await world.sql<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'graphile_worker')`,
  );
  const pattern = texts.map((text) => text.toLowerCase().replace(/[.@-]/g, '\\$&')).join('|');
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await world.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t WHERE t::text ~* $1`, [
      pattern,
    ]);
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

function storedFiles(): string[] {
  const folder = join(world.service.dataDir, 'images', account.id);
  return readdirSync(join(world.service.dataDir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith(join('images', account.id)))
    .map(({ name }) => join(folder, name));
}

const erase = (body: object) => account.post('/v1/privacy/erase', body);
const endHolds = () => world.sql(`UPDATE image_hold SET until = now() - interval '1 minute' WHERE NOT deleting`);

describe('a holder', () => {
  it("a holder's data is exported, and then erased without a trace here and at Google", async () => {
    const own = marks();
    const thumbnail = await upload();
    const { held, memberId, passBody, passHeaders, pass } = await holderOf(own, thumbnail);
    const before = storedFiles().length;
    expect((await rowsWith(Object.values(own))).length).toBeGreaterThan(1);

    const exported = mustBe(200, await account.post('/v1/privacy/export', { email: own.email.toUpperCase() }));
    for (const mark of Object.values({ ...own, message: own.name })) {
      expect(exported.bytes.toString().toLowerCase()).toContain(mark.toLowerCase());
    }
    expect(exported.body).toMatchObject({
      members: [{ id: memberId, email: own.email, data: { data: own.data } }],
      passes: [
        { appleWallet: { installed: [{ registeredAt: expect.any(String) }] }, mails: [] },
        { code: own.code, metadata: { meta: own.meta }, mails: [{ status: 'sent' }], googleWallet: [{ saves: 1 }] },
      ],
    });
    expect(exported.bytes.toString()).not.toContain(held.phone.deviceLibraryIdentifier(held.serial));

    await endHolds();
    const erased = mustBe(200, await erase({ email: own.email }));
    expect(erased.body).toEqual({ members: 1, passes: 2, mails: 1, devices: 1, images: 1 });

    await until(
      () => shown(held),
      ({ voided }) => voided === true,
    );
    expect(JSON.stringify(shown(held))).not.toContain(own.name);
    await until(
      () => JSON.stringify([...google.objects.values()]),
      (objects) => Object.values(own).every((mark) => !objects.includes(mark)),
    );
    await world.jobsIdle();
    expect(await rowsWith(Object.values(own))).toEqual([]);
    expect(storedFiles().length).toBeLessThan(before);
    expect(await world.service.request('GET', thumbnail)).toMatchObject({ status: 404 });
    const templates = await world.sql<{ key: string }>(
      `SELECT DISTINCT jsonb_path_query(images, '$.*.files[*].key')->>0 AS key FROM template WHERE account_id = $1`,
      [account.id],
    );
    expect(templates.length).toBeGreaterThan(10);
    const files = new Set(storedFiles().map((file) => file.split('/').at(-1)));
    expect(templates.filter(({ key }) => !files.has(key.split('/').at(-1)))).toEqual([]);

    const again = mustBe(200, await erase({ email: own.email }));
    expect(again.body).toEqual({ members: 0, passes: 0, mails: 0, devices: 0, images: 0 });
    const repeated = await account.post('/v1/pass/generic', passBody, passHeaders);
    expect(repeated).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await account.get(`/v1/pass/generic/${pass.id}`)).toMatchObject({ status: 404 });
    const { body: trail } = await account.get('/v1/account/events?action=holder.erased');
    expect(trail.data).toMatchObject([
      { target: { kind: 'holder', id: null }, after: { members: 0, passes: 0 } },
      { target: { kind: 'holder', id: null }, after: { members: 1, passes: 2 } },
    ]);
  });

  it("an erasure that names one pass also erases the pass's member and mails", async () => {
    const own = marks();
    const { memberId, path } = await holderOf(own, await upload());
    const { body } = await member('GET', `/v1/memberships/members/${memberId}`);
    const erased = mustBe(200, await erase({ templateId: 'membership', passId: body.passId }));
    expect(erased.body).toMatchObject({ members: 1, passes: 2, mails: 1 });
    expect(await account.get(path)).toMatchObject({ status: 404 });
    await world.jobsIdle();
    expect(await rowsWith(Object.values(own))).toEqual([]);
  });

  it("an erasure keeps shared images and other people's passes, but deletes mails to the holder", async () => {
    const [own, friend] = [marks(), marks()];
    const thumbnail = await upload();
    const { pass } = await holderOf(own, thumbnail);
    const shared = mustBe(201, await account.post('/v1/pass/generic', { primaryValue: 'Twin', thumbnail })).body.pass;
    const { body: other } = await member('POST', '/v1/memberships/members', {
      email: friend.email,
      name: friend.name,
      status: 'active',
    });
    await account.post(`/v1/pass/membership/${other.passId}/send`, { to: own.email });
    await world.jobsIdle();
    await endHolds();
    const files = storedFiles().length;
    expect(mustBe(200, await erase({ email: own.email })).body).toMatchObject({ members: 1, passes: 2, mails: 2 });
    await world.jobsIdle();
    expect(storedFiles()).toHaveLength(files);
    expect(await account.get(`/v1/pass/membership/${other.passId}`)).toMatchObject({ status: 200 });
    expect(await account.get(`/v1/pass/membership/${other.passId}/mails`)).toMatchObject({ body: { data: [] } });
    expect(await account.get(`/v1/pass/generic/${pass.id}`)).toMatchObject({ status: 404 });

    // The image stays until its last pass is deleted.
    expect(await world.service.request('GET', thumbnail)).toMatchObject({ status: 200 });
    await endHolds();
    await account.delete(`/v1/pass/generic/${shared.id}`);
    await world.jobsIdle();
    expect(storedFiles().length).toBeLessThan(files);
    expect(await world.service.request('GET', thumbnail)).toMatchObject({ status: 404 });
  });

  it('an erasure deletes every image that the pass showed earlier', async () => {
    const own = marks();
    const [former, thumbnail] = [await upload(), await upload()];
    const { path } = await holderOf(own, former);
    // End the leases, because the service deletes an unused image only after its lease.
    await endHolds();
    mustBe(200, await world.service.request('PATCH', path, { token: account.token, body: { thumbnail } }));
    await endHolds();
    mustBe(200, await erase({ email: own.email }));
    await world.jobsIdle();
    for (const picture of [former, thumbnail]) {
      expect(await world.service.request('GET', picture)).toMatchObject({ status: 404 });
    }
  });

  it("no column contains a holder's e-mail, data or mails in clear text, with two exceptions", async () => {
    const own = marks();
    await holderOf(own, await upload());
    const { email, data, message, ...rest } = own;
    const inHex = (text: string) => Buffer.from(text).toString('hex');
    // Also search for the bytes of the text.
    expect(await rowsWith([email, data, message].flatMap((text) => [text, inHex(text)]))).toEqual([]);
    const tables = (await rowsWith(Object.values(rest))).map((row) => row.split(':', 1)[0]);
    // docs/privacy.md gives the reasons for these exceptions.
    expect([...new Set(tables)].sort()).toEqual(['public.apple_log_line', 'public.pass']);
  });

  it('no column contains the name of a member in clear text, even if the member’s pass shows the name', async () => {
    const { email, name } = marks();
    const created = mustBe(201, await member('POST', '/v1/memberships/members', { email, name, status: 'active' }));
    const issued = mustBe(200, await account.get(`/v1/pass/membership/${created.body.passId}`));
    expect(issued.body.pass.primaryValue).toBe(name);
    expect(JSON.stringify(shown(await world.put(account, issued.body)))).toContain(name);
    await world.jobsIdle();
    expect(await rowsWith([name, Buffer.from(name).toString('hex')])).toEqual([]);
  });

  it('no column contains the name or e-mail address of a user, an invitee or a recipient in clear text', async () => {
    const { email, name, data: formerName } = marks();
    const { email: invited, name: invitedName } = marks();
    const { email: wanted } = marks();
    const password = randomUUID();
    const registration = { email, password, name: formerName, accountName: 'Engines' };
    const { body } = mustBe(201, await world.service.request('POST', '/v1/auth/register', { body: registration }));
    const { accessToken: token } = body;
    const user = (method: string, path: string, more: object) =>
      world.service.request(method, path, { token, body: more, headers: once() });
    mustBe(200, await user('PATCH', '/v1/auth/me', { name }));
    mustBe(202, await user('POST', '/v1/auth/email', { email: wanted, password }));
    mustBe(202, await user('POST', '/v1/auth/password/forgot', { email }));
    await user('POST', '/v1/auth/login', { email, password: 'wrong' });
    const { body: invitation } = mustBe(201, await user('POST', '/v1/account/invite', { email: invited }));
    const accepted = { name: invitedName, password };
    mustBe(
      200,
      await world.service.request('POST', `/v1/account/invites/${invitation.code}/accept`, { body: accepted }),
    );
    const open = mustBe(201, await user('POST', '/v1/account/invite', { email: `open-${invited}` })).body;
    await world.jobsIdle();
    const given = [email, formerName, name, invited, invitedName, wanted];
    expect(await rowsWith(given.flatMap((text) => [text, Buffer.from(text).toString('hex')]))).toEqual([]);

    const me = await world.service.request('GET', '/v1/auth/me', { token });
    expect(me.body).toMatchObject({ email, name });
    const own = await world.service.request('GET', '/v1/account', { token });
    expect(own.bytes.toString()).toContain(invitedName);
    const events = await world.service.request('GET', '/v1/account/events?action=user.changed', { token });
    expect(events.body.data).toMatchObject([{ actor: { name } }]);
    const shown = await world.service.request('GET', `/v1/account/invites/${open.code}`);
    expect(shown.body).toMatchObject({ email: `open-${invited}`, invitedBy: name });
  });

  it('no remaining key decrypts an older copy of the rows of an erased holder', async () => {
    const own = marks();
    const { memberId } = await holderOf(own, await upload());
    const ofAccount = 'account_id = $1';
    const copies = await world.sql<{ row: string }>(`SELECT m::text AS row FROM member m WHERE ${ofAccount}`, [
      account.id,
    ]);
    const member = () => world.service.request('GET', `/v1/memberships/members/${memberId}`, { token: key });
    expect(mustBe(200, await member()).body).toMatchObject({ email: own.email, name: own.name });
    mustBe(200, await erase({ email: own.email }));
    for (const { row } of copies) await world.sql('INSERT INTO member SELECT ($1::text::member).*', [row]);
    const { email, name, data } = mustBe(200, await member()).body;
    expect([email, name, data ?? {}]).toEqual(['', '', {}]);
    await world.sql(`DELETE FROM member WHERE ${ofAccount}`, [account.id]);
  });

  it('an account can neither export nor erase the holders of another account', async () => {
    const own = marks();
    await holderOf(own, await upload());
    const stranger = await world.newAccount();
    const nobody = { members: 0, passes: 0, mails: 0, devices: 0, images: 0 };
    expect(mustBe(200, await stranger.post('/v1/privacy/erase', { email: own.email })).body).toEqual(nobody);
    const exported = mustBe(200, await stranger.post('/v1/privacy/export', { email: own.email }));
    expect(exported.body).toMatchObject({ members: [], passes: [] });
    const ownExport = mustBe(200, await account.post('/v1/privacy/export', { email: own.email }));
    expect(ownExport.body.members).toHaveLength(1);
  });

  it('an export includes mails to other people only if the request names their pass', async () => {
    const [own, friend] = [marks(), marks()];
    const { path, pass, memberId } = await holderOf(own, await upload());
    const { body } = await member('GET', `/v1/memberships/members/${memberId}`);
    for (const sent of [path, `/v1/pass/membership/${body.passId}`]) {
      mustBe(202, await account.post(`${sent}/send`, { to: friend.email, message: friend.message }));
    }
    await world.jobsIdle();
    const ofMember = { templateId: 'membership', passId: body.passId };
    for (const name of [{ email: own.email }, ofMember]) {
      const exported = mustBe(200, await account.post('/v1/privacy/export', name));
      expect(exported.body.passes).toMatchObject([{ mails: [] }, { mails: [{ recipient: own.email.toUpperCase() }] }]);
      expect(exported.bytes.toString().toLowerCase()).not.toContain(friend.email);
    }
    const ofPass = { templateId: 'generic', passId: pass.id };
    expect(mustBe(200, await account.post('/v1/privacy/export', ofPass)).body.passes).toMatchObject([
      { mails: [{ recipient: own.email.toUpperCase() }, { recipient: friend.email }] },
    ]);
    expect(mustBe(200, await erase({ email: own.email })).body).toMatchObject({ passes: 2, mails: 3 });
  });

  it('400 validation_failed unless exactly one holder is named; 403 forbidden without account:write', async () => {
    for (const body of [{}, { templateId: 'a' }, { email: 'x' }, { email: 'a@b.example', passId: 'b' }]) {
      expect(await erase(body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
    const rejected = await world.service.request('POST', '/v1/privacy/export', {
      token: key,
      body: { email: 'a@b.example' },
    });
    expect(rejected).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});
