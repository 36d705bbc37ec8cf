import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  etagOf,
  MemberExists,
  type MembershipTemplateRequest,
  PassExists,
  Passwright,
  PreconditionFailed,
} from '@passwright/client';
import ts from 'typescript';
import { chromiumPath, openBrowser, watchedPage } from '../support/chromium.js';
import { RunningService, templateBody } from '../support/running-service.js';

const root = join(__dirname, '../../../..');
const template = templateBody('membership') as unknown as MembershipTemplateRequest;
let service: RunningService;
let passwright: Passwright;
let key: string;

/** A server that serves the page from another origin than the service's. */
let shop: Server;
let shopUrl: string;
/** The folder of the packed client. The shop also serves this folder. */
let dir: string;

beforeAll(async () => {
  shop = createServer(sendPageResponse);
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
  shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  service = await RunningService.start({ CORS_ORIGINS: shopUrl });
  // Register an account and create a key, as a shop does at first.
  const anonymous = new Passwright({ baseUrl: service.baseUrl });
  const { accessToken } = await anonymous.register({
    body: { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Ada', accountName: 'Engines' },
  });
  const admin = new Passwright({ baseUrl: service.baseUrl, token: accessToken });
  ({ key } = await admin.createApiKey({ body: { name: 'Web shop' } }));
  passwright = new Passwright({ baseUrl: service.baseUrl, token: () => key });
  await passwright.upsertTemplate({ templateId: 'gold', body: template });
});
afterAll(async () => {
  shop.closeAllConnections();
  shop.close();
  await service.stop();
});

describe('the client', () => {
  it('the client changes a pass only if the pass still has the version that it has read', async () => {
    const { pass, walletAUrl } = await passwright.createPass({ templateId: 'gold', body: { primaryValue: 'Ada' } });
    expect(walletAUrl).toContain(`/gold/${pass.id}/walletA`);
    const where = { templateId: 'gold', passId: pass.id };
    const read = await passwright.getPass(where);
    const ifMatch = etagOf(read);
    const changed = await passwright.updatePass({ ...where, body: { primaryValue: 'Bea' }, ifMatch });
    expect(changed.pass.primaryValue).toBe('Bea');
    const late = passwright.updatePass({ ...where, body: { primaryValue: 'Cay' }, ifMatch });
    await expect(late).rejects.toBeInstanceOf(PreconditionFailed);
    await expect(
      passwright.createPass({ templateId: 'gold', body: { id: pass.id, primaryValue: 'x' } }),
    ).rejects.toThrow(PassExists);
    await expect(passwright.previewPass({ ...where, wallet: 'web', format: 'png' })).resolves.toBeInstanceOf(
      Uint8Array,
    );
    await expect(passwright.deletePass(where)).resolves.toBeUndefined();
  });

  it('the client gets the first response again if it repeats a request with the same idempotency key', async () => {
    const request = { templateId: 'gold', idempotencyKey: randomUUID(), body: { primaryValue: 'Ada' } };
    const [first, second] = [await passwright.createPass(request), await passwright.createPass(request)];
    expect(second).toEqual(first);
  });

  it('the client issues passes from lines without duplicates, and reads all passes', async () => {
    await passwright.upsertTemplate({ templateId: 'many', body: template });
    const people = Array.from({ length: 450 }, (_, number) => ({
      id: `p${number}`,
      primaryValue: `Person ${number}`,
    }));
    const indexes: number[] = [];
    for await (const line of passwright.createPassesFrom({ templateId: 'many' }, people)) {
      if (line.error) throw line.error;
      if (line.id === people[line.index]?.id && line.walletAUrl) indexes.push(line.index);
    }
    expect(indexes).toEqual(people.map((_, index) => index));
    for await (const { error } of passwright.createPassesFrom({ templateId: 'many' }, people.slice(0, 2))) {
      expect(error).toBeInstanceOf(PassExists);
    }
    for await (const line of passwright.createPassesFrom(
      { templateId: 'many', existing: 'skip' },
      people.slice(0, 2),
    )) {
      expect(line).toMatchObject({ existing: true });
    }
    const listed = new Set<string>();
    for await (const { id } of passwright.each('listPasses', { templateId: 'many' })) listed.add(id);
    expect(listed.size).toBe(450);
  });

  it('the client imports members from lines', async () => {
    await passwright.putMembershipSettings({ body: { templateId: 'gold', reminders: [] } });
    const ada = { email: 'ada@example.com', name: 'Ada' };
    const outcomes: unknown[] = [];
    for await (const line of passwright.importMembersFrom({}, [ada, ada])) outcomes.push(line.error ?? line.passId);
    expect(outcomes).toEqual([expect.any(String), expect.any(MemberExists)]);
  });
});

/** Packs the client. The package has no dependencies, and contains an ES module and a CommonJS module. */
function packedClient(): string {
  const dir = mkdtempSync(join(tmpdir(), 'passwright client '));
  const target = join(dir, 'node_modules', '@passwright', 'client');
  const source = join(root, 'libs/clients/client');
  const files = readdirSync(join(source, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => /(?<!spec|fixtures)\.ts$/.test(file));
  for (const [folder, module] of [
    ['dist', ts.ModuleKind.ESNext],
    ['dist/commonjs', ts.ModuleKind.CommonJS],
  ] as const) {
    for (const name of sources) {
      const compilerOptions = { target: ts.ScriptTarget.ES2023, module };
      const { outputText } = ts.transpileModule(readFileSync(join(source, 'src', name), 'utf8'), { compilerOptions });
      const file = join(target, folder, name.replace(/ts$/, 'js'));
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, outputText);
    }
  }
  writeFileSync(join(target, 'dist/commonjs/package.json'), '{ "type": "commonjs" }');
  writeFileSync(join(target, 'package.json'), readFileSync(join(source, 'package.json')));
  return dir;
}

describe('the packed client', () => {
  beforeAll(() => {
    dir = packedClient();
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it.each([
    ['required by CommonJS', 'cjs', `const { Passwright, PassExists } = require('@passwright/client');`],
    ['imported by a module', 'mjs', `import { Passwright, PassExists } from '@passwright/client';`],
  ])('the packed client can be %s', (_, extension, line) => {
    const file = join(dir, `script.${extension}`);
    const use = `new PassExists('', { code: 'pass_exists' }).name`;
    writeFileSync(
      file,
      `${line}\nconsole.log(typeof new Passwright({ baseUrl: 'http://localhost' }).createPass, ${use});`,
    );
    expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toBe('function PassExists\n');
  });

  const chromium = chromiumPath();
  (chromium ? it : it.skip)('the client works in a page of another origin that the service allows', async () => {
    const browser = await openBrowser(chromium ?? '', service);
    try {
      const { page: tab, said } = await watchedPage(browser);
      await tab.goto(`${shopUrl}/#${new URLSearchParams({ key, api: service.baseUrl }).toString()}`);
      await tab.waitForFunction(() => document.title !== '');
      expect(await tab.title()).toBe('["PassExists",500,500]');
      // Chromium reports the single rejected request on the console.
      expect(said).toEqual([expect.stringContaining('409')]);
    } finally {
      await browser.close();
    }
  });

  it('the service allows cross-origin requests only from the configured origin', async () => {
    const of = async (origin: string) =>
      (await service.request('GET', '/v1/templates', { token: key, headers: { Origin: origin } })).headers;
    expect((await of(shopUrl)).get('access-control-allow-origin')).toBe(shopUrl);
    expect((await of('https://elsewhere.example')).get('access-control-allow-origin')).toBeNull();
  });
});

const html = `<!doctype html><link rel="icon" href="data:,">
<script type="importmap">{ "imports": {
  "@passwright/client": "/node_modules/@passwright/client/dist/index.js"
} }</script>
<script type="module">
  import { Passwright } from '@passwright/client';
  const { api, key } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const passwright = new Passwright({ baseUrl: api, token: key });
  const body = { id: 'from-a-page', primaryValue: 'Ada' };
  await passwright.createPass({ templateId: 'gold', body });
  const { name } = await passwright.createPass({ templateId: 'gold', body }).catch((error) => error);
  await passwright.upsertTemplate({ templateId: 'paged', body: ${JSON.stringify(template)} });
  let [made, listed] = [0, 0];
  const people = Array.from({ length: 500 }, () => ({ primaryValue: 'Ada' }));
  for await (const { id } of passwright.createPassesFrom({ templateId: 'paged' }, people)) if (id) made++;
  for await (const _ of passwright.each('listPasses', { templateId: 'paged' })) listed++;
  document.title = JSON.stringify([name, made, listed]);
</script>`;

function sendPageResponse({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  if (url === '/') response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
  else response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(join(dir, url)));
}
