import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { type Account, RunningService } from '@passwright/api/test/running-service';
import sharp from 'sharp';
import { runCli } from '../src/index.js';
import { Service } from '../src/templates/template-service.js';

let service: RunningService;
let account: Account;
let folder: string;
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const write = (path: string, text: string | Buffer) => writeFileSync(join(folder, path), text);

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  folder = mkdtempSync(join(tmpdir(), 'passwright cli '));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

interface Run {
  stdin?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  stderr?: PassThrough;
}

/** Runs a command line without a terminal. */
async function cli(line: string, { stdin = '', env = {}, signal, stderr = new PassThrough() }: Run = {}) {
  const stdout = new PassThrough();
  const input = Readable.from([Buffer.from(stdin)]);
  const ending = signal ?? new AbortController().signal;
  const config = { XDG_CONFIG_HOME: join(folder, 'config'), ...env };
  const argv = line.split(' ').filter(Boolean);
  const code = await runCli(argv, { stdin: input, stdout, stderr, env: config, cwd: folder, signal: ending });
  const [out, err] = [textIn(stdout), textIn(stderr)];
  return { code, out, err, json: () => JSON.parse(out) };
}

/** Returns all text that was written to a stream. Since Node 26, each call of `read` returns one chunk. */
function textIn(stream: PassThrough): string {
  const chunks: Buffer[] = [];
  for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Changes a template directly on the service, like another user. */
async function changeElsewhere(templateId: string, changes: object): Promise<void> {
  const { body } = await account.get(`/v1/templates/${templateId}`);
  const { id: _id, accountId: _a, archived: _b, createdAt: _c, updatedAt: _u, ...template } = body;
  const { status } = await account.post(`/v1/templates/${templateId}`, { ...template, ...changes });
  expect(status).toBe(200);
}

it('`init`, `login` and `push` turn an empty folder into a template on the service', async () => {
  expect(await cli(`init --url ${service.baseUrl}`)).toMatchObject({ code: 0 });
  const yaml = read('passwright.yaml');
  const moved = await cli('init --url https://elsewhere.example.com');
  expect(moved).toMatchObject({
    code: 1,
    err: expect.stringContaining(`says url ${service.baseUrl}, not https://else`),
  });
  expect(read('passwright.yaml')).toBe(yaml);
  expect(await cli('init --url https://elsewhere.example.com --no-example --force')).toMatchObject({ code: 0 });
  expect(read('passwright.yaml')).toBe(yaml.replace(service.baseUrl, 'https://elsewhere.example.com'));
  expect(await cli(`init --url ${service.baseUrl}/ --force`)).toMatchObject({ code: 0 });
  expect(read('passwright.yaml')).toBe(yaml);
  expect(await cli('whoami')).toMatchObject({ code: 1, err: expect.stringContaining('passwright login --url') });
  const wrong = await cli(`login --email ${account.email}`, { stdin: 'wrong' });
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('/password/forgot') });
  expect(await cli(`login --email ${account.email}`, { stdin: account.password })).toMatchObject({ code: 0, err: '' });
  expect(statSync(join(folder, 'config/passwright/profiles.json')).mode & 0o777).toBe(0o600);
  const scopes = expect.arrayContaining(['account:write', 'templates:write']);
  expect((await cli('whoami --json')).json()).toMatchObject({ accountId: account.id, url: service.baseUrl, scopes });

  expect(await cli('templates diff')).toMatchObject({ code: 3 });
  const dry = await cli('templates push --dry-run --json');
  expect(dry.json()).toMatchObject({ plan: [{ id: 'sundown-coffee', action: 'create' }], applied: [] });
  expect((await account.get('/v1/templates/sundown-coffee')).status).toBe(404);
  expect((await cli('templates push --json')).json()).toMatchObject({ applied: ['sundown-coffee'] });
  expect((await account.get('/v1/templates/sundown-coffee')).body.title).toBe('20% off');
  expect(await cli('templates diff')).toMatchObject({ code: 0, out: expect.stringContaining('No changes') });
});

it('`pull`, `push` and `diff` recognise an image that the service has converted, even in a new checkout', async () => {
  const jpeg = await sharp({ create: { width: 400, height: 120, channels: 3, background: '#336699' } })
    .composite([
      { input: Buffer.from('<svg width="200" height="90"><circle cx="60" cy="50" r="40" fill="#fa3"/></svg>') },
    ])
    .jpeg()
    .toBuffer();
  write('templates/sundown-coffee/logo.jpg', jpeg);
  write(
    'templates/sundown-coffee.yaml',
    read('templates/sundown-coffee.yaml').replace('coffee/logo.png', 'coffee/logo.jpg'),
  );
  expect((await cli('templates diff --json')).json().templates).toEqual([
    { id: 'sundown-coffee', standing: 'changed_in_the_file', differences: [expect.objectContaining({ path: 'logo' })] },
  ]);
  expect(await cli('templates push')).toMatchObject({ code: 0 });
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  expect(await cli('templates diff')).toMatchObject({ code: 0 });

  const before = read('templates/sundown-coffee.yaml');
  expect(await cli('templates pull')).toMatchObject({ code: 0 });
  expect(read('templates/sundown-coffee.yaml')).toBe(before);

  // Delete all files. The pull restores them and downloads the images.
  rmSync(join(folder, 'templates'), { recursive: true });
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  expect(await cli('templates pull')).toMatchObject({ code: 0 });
  expect(read('templates/sundown-coffee.yaml')).toContain('logo: sundown-coffee/logo.jpg');
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  expect(await cli('templates diff')).toMatchObject({ code: 0 });
  expect((await cli('templates push --json')).json()).toMatchObject({ plan: [{ action: 'unchanged' }], applied: [] });
});

it('each language has its own translation file, and a second pull and push change nothing', async () => {
  const path = 'templates/sundown-coffee.yaml';
  write('templates/sundown-coffee/de.yaml', '# Checked by Ada\ntitle: 20 % auf den nächsten Besuch\n');
  write('templates/sundown-coffee/pt-BR.yaml', 'title: 20 % na próxima visita\n');
  const diff = (await cli('templates diff --json')).json();
  expect(diff.templates[0].differences[0].path).toBe('translations');
  expect(await cli('templates push')).toMatchObject({ code: 0 });
  const stored = (await account.get('/v1/templates/sundown-coffee')).body;
  expect(stored.translations).toEqual({
    de: { title: '20 % auf den nächsten Besuch' },
    'pt-BR': { title: '20 % na próxima visita' },
  });
  const files = () => [path, 'templates/sundown-coffee/de.yaml', 'templates/sundown-coffee/pt-BR.yaml'].map(read);
  const before = files();
  expect((await cli('templates pull --json')).json()).toMatchObject({ plan: [{ action: 'unchanged' }], written: [] });
  expect((await cli('templates push --json')).json()).toMatchObject({ plan: [{ action: 'unchanged' }], applied: [] });
  expect(files()).toEqual(before);

  const { de } = stored.translations;
  await changeElsewhere('sundown-coffee', {
    translations: { de: { ...de, issuerName: 'Kaffee' }, sv: { title: 'Rabatt' } },
  });
  expect(await cli('templates pull')).toMatchObject({ code: 0 });
  expect(read('templates/sundown-coffee/de.yaml')).toMatch(/^# Checked by Ada\n[^]*issuerName: Kaffee\n$/);
  expect(read('templates/sundown-coffee/sv.yaml')).toBe('title: Rabatt\n');
  expect(() => read('templates/sundown-coffee/pt-BR.yaml')).toThrow('ENOENT');
  expect(read(path)).toBe(before[0]);
  expect(await cli('templates diff')).toMatchObject({ code: 0 });

  write('templates/sundown-coffee/sv.yaml', 'titel: Rabatt\n');
  const rejected = await cli('templates push');
  expect(rejected).toMatchObject({ code: 1, out: expect.stringContaining('did you mean "title"?') });
  write('templates/sundown-coffee/sv.yaml', 'title: Rabatt\n');
});

it('each language has its own image files, and a second push changes nothing', async () => {
  const jpegOf = (background: string) =>
    sharp({ create: { width: 480, height: 150, channels: 3, background } })
      .jpeg()
      .toBuffer();
  const german = 'templates/sundown-coffee/de.yaml';
  const before = read(german);
  write('templates/sundown-coffee/german-logo.jpg', await jpegOf('#aa0000'));
  write(german, `${before}images.logo: sundown-coffee/german-logo.jpg\n`);
  const [{ differences }] = (await cli('templates diff --json')).json().templates;
  expect(differences).toEqual([expect.objectContaining({ path: 'translations.de.images.logo' })]);
  expect(await cli('templates push')).toMatchObject({ code: 0 });
  const stored = (await account.get('/v1/templates/sundown-coffee')).body;
  expect(stored.translations.de['images.logo']).toMatch(/\/images\/acc_\w+\/[0-9a-f]{64}\.jpg$/);
  expect((await cli('templates push --json')).json()).toMatchObject({ plan: [{ action: 'unchanged' }], applied: [] });
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  expect(await cli('templates diff')).toMatchObject({ code: 0 });

  // Delete the files. The pull restores them and downloads the image.
  rmSync(join(folder, 'templates'), { recursive: true });
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  expect(await cli('templates pull')).toMatchObject({ code: 0 });
  expect(read(german)).toContain('images.logo: sundown-coffee/de/logo.jpg');
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  expect(await cli('templates diff')).toMatchObject({ code: 0 });
  expect((await cli('templates push --json')).json()).toMatchObject({ plan: [{ action: 'unchanged' }], applied: [] });

  const missing = read(german).replace('de/logo.jpg', 'de/none.jpg');
  write(german, missing);
  expect(await cli('templates push')).toMatchObject({
    code: 1,
    err: expect.stringContaining('translations.de.images.logo: there is no file sundown-coffee/de/none.jpg'),
  });
  write(german, missing.replace('de/none.jpg', 'de/logo.jpg'));
});

it('a push does not overwrite a change on the service, and a pull applies it and keeps comments', async () => {
  const path = 'templates/sundown-coffee.yaml';
  write(path, `# Ours\n${read(path)}`);
  await changeElsewhere('sundown-coffee', { title: 'Changed elsewhere' });
  expect((await cli('templates diff --json')).json().templates[0]).toMatchObject({
    standing: 'changed_on_the_service',
    differences: [{ path: 'title', service: 'Changed elsewhere', file: '20% off' }],
  });
  const push = await cli('templates push');
  expect(push).toMatchObject({ code: 4, out: expect.stringContaining('--force overwrites') });
  expect(push.out).toContain('      = 20% off\n      - Changed elsewhere\n      + 20% off\n');
  expect((await account.get('/v1/templates/sundown-coffee')).body.title).toBe('Changed elsewhere');
  expect(await cli('templates pull')).toMatchObject({ code: 0 });
  expect(read(path)).toMatch(/^# Ours\n[^]*title: Changed elsewhere\n/);

  write(path, read(path).replace('Changed elsewhere', 'Changed here'));
  expect(await cli('templates pull')).toMatchObject({ code: 1, out: expect.stringContaining('not pushed') });
  expect(read(path)).toContain('title: Changed here');
  expect((await account.post('/v1/pass/sundown-coffee', {})).status).toBe(201);
  expect(await cli('templates push')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Apple Wallet does not announce _title: no holder has a pass in this wallet'),
  });
});

it('a push does not replace a template that another user has created since the plan', async () => {
  write('templates/raced.yaml', read('templates/sundown-coffee.yaml'));
  const { save } = Service.prototype;
  const saving = jest.spyOn(Service.prototype, 'save').mockImplementationOnce(async function (this: Service, ...given) {
    await account.saveTemplate('offer', 'raced', { title: 'Theirs' });
    return save.apply(this, given);
  });
  const push = await cli('templates push raced --json');
  saving.mockRestore();
  expect(push.json()).toMatchObject({ applied: [], error: { code: 'precondition_failed' } });
  expect((await account.get('/v1/templates/raced')).body.title).toBe('Theirs');
  await account.delete('/v1/templates/raced');
  rmSync(join(folder, 'templates/raced.yaml'));
});

it("a push from a fresh clone stops if the service's template has changed since the committed lock", async () => {
  const path = 'templates/sundown-coffee.yaml';
  const committed = [read(path), read('passwright.lock')] as const;
  expect(committed[1]).not.toContain(service.baseUrl);
  await changeElsewhere('sundown-coffee', { title: 'By a colleague' });
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  write(path, committed[0].replace('Sundown Coffee', 'Moonrise Coffee'));
  write('templates/a-clone.yaml', committed[0]);
  for (const line of ['templates push --yes --json', 'templates push --dry-run --json']) {
    const push = await cli(line);
    expect(push.code).toBe(4);
    const differences = expect.arrayContaining([
      { path: 'title', service: 'By a colleague', file: 'Changed here', base: 'Changed here', changedBy: 'service' },
    ]);
    expect(push.json()).toMatchObject({
      plan: [
        { id: 'a-clone', action: 'create' },
        { id: 'sundown-coffee', action: 'conflict', differences },
      ],
      applied: [],
      error: { code: 'templates_changed' },
    });
  }
  expect((await account.get('/v1/templates/a-clone')).status).toBe(404);
  expect(read('passwright.lock')).toBe(committed[1]);
  rmSync(join(folder, 'templates/a-clone.yaml'));

  // Write the service's change into the file, so that the push does not undo it.
  write(path, read(path).replace('Changed here', 'By a colleague'));
  expect(await cli('templates push --yes')).toMatchObject({ code: 0 });
  const { body } = await account.get('/v1/templates/sundown-coffee');
  expect(body).toMatchObject({ title: 'By a colleague', issuerName: 'Moonrise Coffee' });
  expect(read('passwright.lock')).toContain('issuerName: Moonrise Coffee');
  write(path, committed[0]);
  expect(await cli('templates push')).toMatchObject({ code: 0 });
});

it('a push overwrites a template that is not in the lock only if it is forced', async () => {
  const path = 'templates/sundown-coffee.yaml';
  const [text, lock] = [read(path), read('passwright.lock')];
  write(path, text.replace('Sundown Coffee', 'Moonrise Coffee'));
  rmSync(join(folder, 'passwright.lock'));
  expect((await cli('templates push --yes --json')).json()).toMatchObject({
    plan: [{ action: 'unknown' }],
    error: { code: 'templates_changed' },
  });
  write('passwright.lock', `<<<<<<< ours\n${lock}=======\n${lock}>>>>>>> theirs\n`);
  expect(await cli('templates push --force')).toMatchObject({
    code: 1,
    err: expect.stringContaining('merge conflicts'),
  });
  rmSync(join(folder, 'passwright.lock'));
  expect(await cli('templates push --force')).toMatchObject({ code: 0 });
  write(path, text);
  expect(await cli('templates push')).toMatchObject({ code: 0 });
  expect(read('passwright.lock')).toBe(lock);
});

it('a push changes nothing if one of the templates is invalid', async () => {
  const good = read('templates/sundown-coffee.yaml');
  write('templates/a-new-one.yaml', good);
  write('templates/broken.yaml', good.replace('key: terms', 'key: discount'));
  const push = await cli('templates push --json');
  expect(push.code).toBe(1);
  expect(push.json()).toMatchObject({ applied: [], error: { code: 'templates_refused' } });
  expect((await account.get('/v1/templates/a-new-one')).status).toBe(404);
  rmSync(join(folder, 'templates/broken.yaml'));
  expect(await cli('templates push a-new-one')).toMatchObject({ code: 0 });
});

it('`push --prune` archives templates without a file after a confirmation, and `--unarchive` restores them', async () => {
  const text = read('templates/a-new-one.yaml');
  rmSync(join(folder, 'templates/a-new-one.yaml'));
  expect(await cli('templates push --prune')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  expect(await cli('templates push --prune --yes')).toMatchObject({ code: 0 });
  expect((await account.get('/v1/templates/a-new-one')).body.archived).toBe(true);
  write('templates/a-new-one.yaml', text);
  expect(await cli('templates push')).toMatchObject({ code: 1 });
  expect(await cli('templates push --unarchive')).toMatchObject({ code: 0 });
  expect((await account.get('/v1/templates/a-new-one')).body.archived).toBe(false);
});

it('`push --prune` archives a template that the project has never pulled or pushed only if it is forced', async () => {
  await account.saveTemplate('offer', 'made-elsewhere');
  const push = await cli('templates push --prune --yes --json');
  expect(push.code).toBe(4);
  expect(push.json()).toMatchObject({
    plan: expect.arrayContaining([expect.objectContaining({ id: 'made-elsewhere', action: 'foreign' })]),
    error: { code: 'templates_changed', message: expect.stringContaining('never pulled or pushed made-elsewhere') },
  });
  expect((await account.get('/v1/templates/made-elsewhere')).body.archived).toBe(false);
  expect(await cli('templates push --prune --yes --force')).toMatchObject({ code: 0 });
  expect((await account.get('/v1/templates/made-elsewhere')).body.archived).toBe(true);
  await account.delete('/v1/templates/made-elsewhere');
});

it('wrong usage has exit code 2, a failure has exit code 1 and a hint, and --json prints both as objects', async () => {
  expect(await cli('templates pussh')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean push') });
  expect((await cli('templates diff nowhere --json')).json()).toMatchObject({ error: { code: 'wrong_usage' } });
  const env = { PASSWRIGHT_URL: service.baseUrl, PASSWRIGHT_KEY: 'pw_live_nobody' };
  const docUrl = expect.stringMatching(/\/guides\/errors#unauthorized$/);
  expect((await cli('whoami --json', { env })).json()).toMatchObject({ error: { code: 'unauthorized', docUrl } });
  const down = await cli('whoami', { env: { ...env, PASSWRIGHT_URL: 'http://127.0.0.1:1' } });
  expect(down).toMatchObject({ code: 1, err: expect.stringContaining('that the service is running') });
  expect(await cli('--help')).toMatchObject({ code: 0, out: expect.stringContaining('Exit codes') });
});

it('a push stops if a template has changed since the plan, and reports what it has applied', async () => {
  const path = 'templates/sundown-coffee.yaml';
  const before = read(path);
  write(path, before.replace('Changed here', 'Planned'));
  const { save } = Service.prototype;
  const saving = jest.spyOn(Service.prototype, 'save');
  try {
    saving.mockImplementationOnce(async function (this: Service, ...given) {
      // Make this change after the last check and before the write, so that only the version reveals it.
      await changeElsewhere('sundown-coffee', { title: 'In between' });
      return save.apply(this, given);
    });
    const push = await cli('templates push --json');
    expect(push.code).toBe(1);
    expect(push.json()).toMatchObject({ applied: [], error: { code: 'precondition_failed' } });
  } finally {
    saving.mockRestore();
  }
  expect((await account.get('/v1/templates/sundown-coffee')).body.title).toBe('In between');
  expect(await cli('templates pull --force')).toMatchObject({ code: 0 });
});

it('`diff` with a read-only key compares everything except images that need an upload', async () => {
  const { body } = await account.post('/v1/auth/keys', { name: 'reader', scopes: ['templates:read'] });
  const env = { PASSWRIGHT_URL: service.baseUrl, PASSWRIGHT_KEY: body.key as string };
  // The service converts the image, so the name of the converted image does not match the hash of the file.
  const jpeg = sharp({ create: { width: 300, height: 90, channels: 3, background: '#884422' } }).jpeg();
  write('templates/sundown-coffee/logo.jpg', await jpeg.toBuffer());
  expect(await cli('templates push')).toMatchObject({ code: 0 });
  rmSync(join(folder, '.passwright'), { recursive: true, force: true });
  const diff = await cli('templates diff sundown-coffee --json', { env });
  expect(diff.code).toBe(3);
  expect(diff.json().templates).toMatchObject([{ differences: [{ path: 'logo', file: 'sundown-coffee/logo.jpg' }] }]);
  expect(await cli('templates diff sundown-coffee')).toMatchObject({ code: 0 });
  const who = await cli('whoami', { env });
  expect([who.code, who.out]).toEqual([0, expect.stringMatching(/lacks the scope account:read\n[^]*only a key with/)]);
  const watching = await cli('watch', { env });
  expect([watching.code, watching.err]).toEqual([
    1,
    expect.stringMatching(/takes account:read, account:write, passes:read[^]*lacks the scope account:read[^]*login/),
  ]);
  const rejected = await cli('passes export -t sundown-coffee', { env });
  expect([rejected.code, rejected.err]).toEqual([
    1,
    expect.stringMatching(/lacks the scope passes:read[^]*POST .v1.auth.keys/),
  ]);
});

it('a login that gets 429 rate_limited prints how long to wait, and exits at once', async () => {
  const account = await service.register();
  let last = await cli(`login --email ${account.email}`, { stdin: 'wrong' });
  for (let tries = 1; tries < 12 && !last.err.includes('Too many'); tries++)
    last = await cli(`login --email ${account.email}`, { stdin: 'wrong' });
  expect(last).toMatchObject({ code: 1, err: expect.stringMatching(/Too many failed logins[^]*Try again in \d+ min/) });
});

it('Ctrl-C during a request exits with 130', async () => {
  const stop = new AbortController();
  stop.abort();
  const stopped = await cli('templates diff --json', { signal: stop.signal });
  expect(stopped).toMatchObject({ code: 130 });
  expect(stopped.json()).toMatchObject({ error: { code: 'interrupted' } });
});

it('`whoami` shows the account, that it is a test account, and the beginning of the key', async () => {
  const { body } = await account.post('/v1/auth/accounts', { name: 'Engines', test: true });
  const request = { token: body.accessToken, body: { name: 'Staging', scopes: ['account:read'] } };
  const { body: made } = await service.request('POST', '/v1/auth/keys', request);
  const env = { PASSWRIGHT_URL: service.baseUrl, PASSWRIGHT_KEY: made.key };
  expect((await cli('whoami', { env })).out).toMatch(/Engines \(acc_\w+\), a test account\n[^]*pw_test_\w{22}_…/);
  expect((await cli('whoami --json', { env })).json()).toMatchObject({ accountId: body.accountId, test: true });
});

it('a profile’s key is not sent to another address', async () => {
  expect(await cli('whoami --url https://elsewhere.example.com')).toMatchObject({
    code: 1,
    err: expect.stringContaining('not logged in to https://elsewhere.example.com'),
  });
});

it('`watch` shows each event once and in order, and deletes its webhook after Ctrl-C', async () => {
  const stop = new AbortController();
  const watch = (line: string) => {
    const stderr = new PassThrough();
    const ready = new Promise((resolve) => stderr.once('data', resolve));
    return { ready, end: cli(line, { signal: stop.signal, stderr }) };
  };
  const webhooks = async () => (await account.get('/v1/webhooks')).body.data as unknown[];
  const counting = watch('watch --json --template sundown-coffee --type pass.* --count 2');
  const endless = watch('watch');
  await Promise.all([counting.ready, endless.ready]);
  expect(await webhooks()).toHaveLength(2);
  await account.post('/v1/pass/a-new-one', { id: 'not-shown' });
  await account.post('/v1/pass/sundown-coffee', { id: 'ada' });
  await account.post('/v1/pass/sundown-coffee/ada/void');
  const { code, out } = await counting.end;
  const types = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect([code, types]).toEqual([0, ['pass.created', 'pass.voided']]);
  stop.abort();
  expect(await endless.end).toMatchObject({ code: 0 });
  expect(await webhooks()).toEqual([]);
});

it('`logout` revokes the key that `login` created', async () => {
  const { profiles } = JSON.parse(read('config/passwright/profiles.json'));
  expect((await service.request('GET', '/v1/account', { token: profiles.default.key })).status).toBe(200);
  expect(await cli('logout')).toMatchObject({ code: 0, out: expect.stringContaining('revoked') });
  expect((await service.request('GET', '/v1/account', { token: profiles.default.key })).status).toBe(401);
});
