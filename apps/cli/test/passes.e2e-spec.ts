import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as requestHttp, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { type Account, RunningService } from '@passwright/api/test/running-service';
import { ROWS_AT_ONCE } from '../src/passes/import/import-run.js';
import { runCli } from '../src/program.js';

const root = join(__dirname, '../../..');
let service: RunningService;
let account: Account;
let key: string;
let dir: string;
let door: Door;

/** A proxy between the command and the service. It can drop responses and simulate outages. */
class Door {
  /** The number of batch requests so far. */
  batches = 0;
  /** The treatment of the next batch requests, in order. Further requests pass unchanged. */
  readonly next: ('lose the response' | 'not ready' | 'break off')[] = [];
  private reported: (() => void)[] = [];

  private constructor(private readonly server: Server) {}

  static async open(target: string): Promise<Door> {
    const server = createServer();
    const made = new Door(server);
    server.on('request', (incoming, response) => {
      const isBatch = incoming.url?.includes('/batch') === true;
      if (isBatch) made.batches++;
      const fate = isBatch ? made.next.shift() : undefined;
      if (fate === 'not ready') {
        incoming.resume();
        response.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>503</h1>');
        return;
      }
      const { method, headers, url = '/' } = incoming;
      const onward = requestHttp(new URL(url, target), { method, headers }, (responded) => {
        if (!fate) {
          response.writeHead(responded.statusCode ?? 502, responded.headers);
          responded.pipe(response);
          return;
        }
        // The service has completed the request, but the client gets no response.
        responded.resume().on('end', () => {
          if (fate === 'break off') response.destroy();
          for (const tell of made.reported.splice(0)) tell();
        });
      });
      incoming.pipe(onward.on('error', () => response.destroy()));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when the proxy has dropped a response. */
  lost(): Promise<void> {
    return new Promise((resolve) => this.reported.push(resolve));
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  key = await account.apiKey();
  door = await Door.open(service.baseUrl);
  await account.saveTemplate('membership', 'gym', { fields: [{ key: 'seat', label: 'Seat', value: '-' }] });
});
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'passwright cli '))));
afterEach(() => rmSync(dir, { recursive: true }));
afterAll(async () => {
  door.close();
  await service.stop();
});

const environment = () => ({ PASSWRIGHT_URL: door.url, PASSWRIGHT_KEY: key, HOME: dir, XDG_CONFIG_HOME: dir });

async function cli(...words: string[]) {
  const reported = { out: '', err: '' };
  const into = (name: 'out' | 'err') =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        reported[name] += String(chunk);
        done();
      },
    });
  const io = { stdin: Readable.from([]), stdout: into('out'), stderr: into('err'), env: environment(), cwd: dir };
  const code = await runCli(words, { ...io, signal: new AbortController().signal });
  return { code, ...reported };
}

/** Starts the command in a process that the test can kill. */
function cliProcess(words: string[], stdio: StdioOptions = 'inherit'): ChildProcess {
  const args = ['-r', join(root, 'libs/testing/jest/typescript-sources.cjs'), join(root, 'apps/cli/src/main.ts')];
  const { PATH } = process.env;
  return spawn(process.execPath, [...args, ...words], { cwd: dir, env: { PATH, ...environment() }, stdio });
}

/** Runs the command in a process whose output and messages nobody reads. @returns its exit code */
async function unread(...words: string[]): Promise<unknown> {
  const child = cliProcess(words, ['ignore', 'pipe', 'pipe']);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const [code] = (await once(child, 'exit')) as unknown[];
  return code;
}

type Record_ = Record<string, string>;
const read = (name: string): Record_[] => parse(readFileSync(join(dir, name)), { columns: true });
const people = (count: number) =>
  `Member,Seat\n${Array.from({ length: count }, (_, i) => `"Person, ${i + 1}",${i + 1}\n`).join('')}`;

async function passesOf(
  templateId: string,
): Promise<(Record<string, unknown> & { id: string; primaryValue: string; walletAUrl: string })[]> {
  const all = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await account.get(`/v1/pass/${templateId}?limit=100${cursor && `&cursor=${cursor}`}`);
    all.push(...body.data);
    cursor = body.nextCursor as string | null;
  }
  return all;
}

describe('an import', () => {
  it('an import that was killed during a request continues without creating a pass twice', async () => {
    await account.saveTemplate('membership', 'killed');
    const rows = ROWS_AT_ONCE + 300;
    writeFileSync(join(dir, 'people.csv'), people(rows));
    door.next.push(...Array<'lose the response'>(6).fill('lose the response'));
    const lost = door.lost();
    const child = cliProcess(['passes', 'import', 'people.csv', '-t', 'killed']);
    const gone = once(child, 'exit');
    try {
      await Promise.race([lost, gone.then(() => Promise.reject(new Error('it has ended by itself')))]);
    } finally {
      child.kill('SIGKILL');
      await gone;
    }
    door.next.length = 0;
    const made = await passesOf('killed');
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThan(rows);
    // Simulate an incomplete last line.
    writeFileSync(join(dir, 'people.results.csv'), 'Member,Seat,id,wall');

    const { code, out } = await cli('passes', 'import', 'people.csv', '-t', 'killed', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ rows, created: rows, existing: 0, failed: 0 });
    const passes = await passesOf('killed');
    expect(passes).toHaveLength(rows);
    expect(new Set(passes.map(({ primaryValue }) => primaryValue)).size).toBe(rows);
    const byId = new Map(passes.map((pass) => [pass.id, pass]));
    const results = read('people.results.csv');
    expect(results.map(({ Seat }) => Number(Seat))).toEqual(Array.from({ length: rows }, (_, i) => i + 1));
    for (const { id = '', Member, walletAUrl, webUrl, error } of results) {
      expect([byId.get(id)?.primaryValue, byId.get(id)?.walletAUrl, error]).toEqual([Member, walletAUrl, '']);
      expect(webUrl).toContain(id);
    }
    expect(statSync(join(dir, 'people.csv.import.json')).mode & 0o077).toBe(0);

    const again = await cli('passes', 'import', 'people.csv', '-t', 'killed');
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('This table was imported before')]);
    writeFileSync(join(dir, 'people.csv'), people(rows + 1));
    const changed = await cli('passes', 'import', 'people.csv', '-t', 'killed');
    expect([changed.code, changed.err]).toEqual([1, expect.stringContaining('the table has been changed')]);
    expect(await passesOf('killed')).toHaveLength(rows);
  }, 180_000);

  it('an import and a push finish even if the program that reads their output ends first', async () => {
    await account.saveTemplate('membership', 'unread');
    writeFileSync(join(dir, 'people.csv'), people(ROWS_AT_ONCE + 1));
    expect(await unread('passes', 'import', 'people.csv', '-t', 'unread')).toBe(0);
    expect(await passesOf('unread')).toHaveLength(ROWS_AT_ONCE + 1);
    expect((await cli('init', '--url', door.url)).code).toBe(0);
    expect(await unread('templates', 'push', '--yes')).toBe(0);
    expect((await account.get('/v1/templates/sundown-coffee')).status).toBe(200);
    expect(readFileSync(join(dir, 'passwright.lock'), 'utf8')).toContain('sundown-coffee');
    expect(await unread('passes', 'export', '-t', 'gym')).toBe(0);
  }, 60_000);

  it('an import survives a restart of the service, lost responses and an invalid row', async () => {
    await account.saveTemplate('membership', 'waits', { fields: [{ key: 'seat', label: 'Seat', value: '-' }] });
    door.next.push('not ready', 'break off');
    writeFileSync(
      join(dir, 'people.csv'),
      'Name;Seat;Ends\nAda;1;\n;2;\nGrace;3;31.12.2030\nAlan;4;2030-12-31T00:00:00Z\n',
    );
    const { code, out, err } = await cli('passes', 'import', 'people.csv', '-t', 'waits', '--map', 'expiry=Ends');
    expect(code).toBe(1);
    expect(err).toMatch(/waiting for the service/);
    expect(out).toMatch(/2 rows failed/);
    expect(out).toMatch(/validation_failed: 2 rows\n +row 2: .*primaryValue/);
    expect(read('people.results.csv').map(({ Name, id, error }) => [Name, id !== '', error?.split(':')[0]])).toEqual([
      ['Ada', true, ''],
      ['', false, 'validation_failed'],
      ['Grace', false, 'validation_failed'],
      ['Alan', true, ''],
    ]);
    const { body } = await account.get(`/v1/pass/waits/${read('people.results.csv')[3]?.id}`);
    expect(body.pass).toMatchObject({ primaryValue: 'Alan', fields: [{ key: 'seat', label: 'Seat', value: '4' }] });
  });

  it('a dry run shows the first pass and every invalid row, and writes nothing', async () => {
    const batches = door.batches;
    writeFileSync(join(dir, 'people.csv'), 'No,Name,Notes\na,Ada,x\na,Grace,y\nb b,,z\n');
    const { code, out, err } = await cli('passes', 'import', 'people.csv', '-t', 'gym', '--map', 'id=No', '--dry-run');
    expect(code).toBe(1);
    expect(err).toContain('Not used: "Notes"');
    expect(out).toContain('"primaryValue": "Ada"');
    expect(out).toMatch(/row 2: id "a" is also in an earlier row\nrow 3: id "b b" must be .*; primaryValue is missing/);
    expect(out).toContain('3 rows, 2 of them invalid. Nothing was written.');
    expect([
      door.batches,
      ...['results.csv', 'results.csv.lock', 'csv.import.json'].map((end) =>
        statSync(join(dir, `people.${end}`), { throwIfNoEntry: false }),
      ),
    ]).toEqual([batches, undefined, undefined, undefined]);
  });

  it('a dry run shows no first pass if no row has one, and says when the import will create its id', async () => {
    const dryRunOf = async (name: string, text: string) => {
      writeFileSync(join(dir, name), text);
      const { code, out } = await cli('passes', 'import', name, '-t', 'gym', '--dry-run');
      return [code, out.replaceAll(/\s+/g, ' ').trim()];
    };
    expect(await dryRunOf('header.csv', 'id,Name\n')).toEqual([0, expect.not.stringContaining('first row')]);
    expect(await dryRunOf('header.csv', 'id,Name\n')).toEqual([0, expect.stringContaining('0 rows. Nothing')]);
    expect(await dryRunOf('list.ndjson', '[{}]\n')).toEqual([1, expect.not.stringContaining('first row becomes')]);
    const given = '{"id":"a","primaryValue":"Ada","createdAt":"2026-01-01T00:00:00Z"}\n';
    expect(await dryRunOf('given.ndjson', given)).toEqual([
      0,
      'The first row becomes: { "id": "a", "primaryValue": "Ada" } 1 row, all valid. Nothing was written.',
    ]);
    expect(await dryRunOf('without.csv', 'id,Name\n,Ada\n')).toEqual([
      0,
      expect.stringContaining('The first row becomes (the import will create its id): { "primaryValue": "Ada" }'),
    ]);
    expect(await dryRunOf('number.ndjson', '{"id":7,"primaryValue":"Ada"}\n')).toEqual([
      1,
      expect.stringContaining('row 1: id 7 must be a text, such as "7"'),
    ]);
  });

  it('an import reports a missing file before it sends a request', async () => {
    const { code, err } = await cli('passes', 'import', 'people.csv', '-t', 'nowhere');
    expect([code, err]).toEqual([1, expect.stringContaining('people.csv cannot be read (ENOENT).')]);
    expect(err).not.toContain('nowhere');
  });

  it('an import reads JSON lines as passes, and an export returns the same passes', async () => {
    await account.saveTemplate('membership', 'lines');
    const lines = [1, 2, 3].map((n) => ({ id: `p-${n}`, primaryValue: `P ${n}`, metadata: { n } }));
    writeFileSync(join(dir, 'in.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect((await cli('passes', 'import', 'in.ndjson', '-t', 'lines')).code).toBe(0);
    const results = readFileSync(join(dir, 'in.results.ndjson'), 'utf8').trim().split('\n');
    expect(results.map((line) => JSON.parse(line))).toEqual(
      lines.map((line) => ({
        ...line,
        walletAUrl: expect.any(String),
        walletBUrl: expect.any(String),
        webUrl: expect.any(String),
      })),
    );
    const ndjson = await cli('passes', 'export', '-t', 'lines', '--format', 'ndjson');
    expect(
      ndjson.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).metadata.n)
        .sort(),
    ).toEqual([1, 2, 3]);
  });
});

/** The properties that differ after an import into another template. */
const ofItsTemplate = ['templateId', 'createdAt', 'updatedAt', 'walletAUrl', 'walletBUrl', 'webUrl'];

describe('an export', () => {
  it('an export writes the selected passes as a table that an import restores, and writes no file if it fails', async () => {
    await account.saveTemplate('membership', 'out', { fields: [{ key: 'seat', label: 'Seat', value: '-' }] });
    const many = Array.from({ length: 20 }, (_, i) => ({
      id: `p${i}`,
      primaryValue: `P "${i}"`,
      voided: i < 10,
      metadata: { order: i, note: 'a, "b"' },
      fields: [{ key: 'seat', label: 'Seat', value: `${i}` }],
    }));
    for (const body of many) await account.post('/v1/pass/out', body);
    // A CSV contains these parts of a pass as JSON.
    await account.post('/v1/pass/out', {
      ...{ id: 'q', code: ' Q ', primaryValue: 'Q', language: 'de', group: { id: 'order-1', order: 2 } },
      fields: [{ key: 'seat', label: 'Box', value: '9', changeMessage: 'Now %@' }],
      backFields: [{ key: 'note', label: 'Note', value: 'One\n"two"' }],
      locations: [{ address: 'Quay 1', latitude: 53.5, longitude: 10 }],
      translations: { de: { 'fields.seat.label': 'Loge' } },
      actions: [{ type: 'shop', url: 'https://example.com/shop' }],
      linkedPasses: [{ templateId: 'out', passId: 'p1' }],
    });
    await cli('passes', 'export', '-t', 'out', '-o', 'out.csv');
    expect(read('out.csv')).toHaveLength(21);
    expect(read('out.csv').find(({ id }) => id === 'p7')).toMatchObject({
      primaryValue: 'P "7"',
      voided: 'true',
      'fields.seat': '7',
      webUrl: expect.stringMatching(/^http/),
    });
    const valid = await cli('passes', 'export', '-t', 'out', '--no-voided');
    expect(parse(valid.out, { columns: true })).toHaveLength(11);
    await account.saveTemplate('membership', 'copy', { fields: [{ key: 'seat', label: 'Seat', value: '-' }] });
    expect((await cli('passes', 'import', 'out.csv', '-t', 'copy')).code).toBe(0);
    await account.saveTemplate('membership', 'again', { fields: [{ key: 'seat', label: 'Seat', value: '-' }] });
    await cli('passes', 'export', '-t', 'out', '-o', 'again.ndjson');
    expect((await cli('passes', 'import', 'again.ndjson', '-t', 'again')).code).toBe(0);
    const content = async (template: string) =>
      (await passesOf(template))
        .map((pass) => ({
          id: pass.id,
          ...Object.fromEntries(Object.entries(pass).filter(([name]) => !ofItsTemplate.includes(name))),
        }))
        .sort((one, other) => (one.id < other.id ? -1 : 1));
    expect(await content('copy')).toEqual(await content('out'));
    expect(await content('again')).toEqual(await content('out'));
    const missing = await cli('passes', 'export', '-t', 'nowhere', '-o', 'none.csv');
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringMatching(/There is no template "nowhere"\.\n +The templates are: .*\bgym\b/),
    ]);
    expect(statSync(join(dir, 'none.csv'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('an export with --json prints one pass per line instead of a CSV, and with --out one summary', async () => {
    await account.saveTemplate('membership', 'json');
    for (const id of ['a', 'b']) await account.post('/v1/pass/json', { id, primaryValue: id });
    const { code, out } = await cli('passes', 'export', '-t', 'json', '--json');
    const lines = out.trim().split('\n');
    expect([code, lines.map((line) => JSON.parse(line).id).sort()]).toEqual([0, ['a', 'b']]);
    const both = await cli('passes', 'export', '-t', 'json', '--json', '--format', 'csv');
    expect([both.code, JSON.parse(both.out)]).toEqual([
      2,
      { error: { code: 'wrong_usage', message: expect.any(String), hint: expect.stringContaining('--out') } },
    ]);
    const file = await cli('passes', 'export', '-t', 'json', '--json', '--format', 'csv', '-o', 'json.csv');
    expect(JSON.parse(file.out)).toEqual({ passes: 2, file: join(dir, 'json.csv') });
    expect(read('json.csv')).toHaveLength(2);
  });

  it('an export and a dry run of an import list the parts of passes that an import does not restore', async () => {
    await account.saveTemplate('generic', 'used');
    for (const id of ['a', 'b', 'c']) await account.post('/v1/pass/used', { id, primaryValue: id.toUpperCase() });
    const other = await cli('passes', 'export', '-t', 'used');
    expect(other.err).toContain(
      "Not included: passes' own thumbnails; after an import, passes show the template's thumbnail.",
    );
    expect(other.err).not.toContain('Redeemed');
    for (const id of ['a', 'b']) await account.post(`/v1/pass/used/${id}/redeem`, {});
    const used = 'Redeemed: 2 passes; an import creates passes that can be redeemed again.';
    expect((await cli('passes', 'export', '-t', 'used', '-o', 'used.csv')).err).toContain(used);
    const { out } = await cli('passes', 'import', 'used.csv', '-t', 'used', '--dry-run');
    expect(out).toContain('Redeemed: 2 rows; an import creates passes that can be redeemed again.');
  });
});
