import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { preparing } from './import-passes.js';
import { importFiles } from './written-files.js';
import { withImportLock } from './result-lock.js';
import { ImportRun } from './resumable-run.js';
import { type ImportPlan, importState, type ImportState, noProgress, saveState } from './saved-state.js';
import { checkedMapping, completeMapping, readMapOption } from '../rows/mapping.js';
import { ResultFile } from './result-file.js';
import { rowId } from './row-ids.js';
import type { Prepared, SentRow } from './row-sender.js';
import { type Row, rowsOf, tableFile } from '../rows/table-file.js';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'passwright import '))));
afterEach(() => rmSync(dir, { recursive: true }));

const template = {
  type: 'membership',
  primaryLabel: 'Member',
  fields: [{ key: 'seat', label: 'Seat' }],
  backFields: [{ key: 'terms', label: 'Terms of use' }],
};

async function table(text: string | Buffer, name = 'people.csv') {
  const path = join(dir, name);
  writeFileSync(path, text);
  return tableFile(path);
}

async function all(file: Awaited<ReturnType<typeof table>>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of rowsOf(file)) rows.push(row);
  return rows;
}

describe('the id of a row', () => {
  it('rowId derives the same valid id for the same row and key, and another id for another row or key', () => {
    const [key, other] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
    expect(rowId(key, 7)).toBe(rowId(key, 7));
    expect(rowId(key, 7)).toMatch(/^[0-9A-Za-z]{22}$/);
    const ids = [key, other].flatMap((one) => Array.from({ length: 500 }, (_, row) => rowId(one, row + 1)));
    expect(new Set(ids).size).toBe(1000);
  });

  it('a row with an id keeps this id', () => {
    const prepare = preparing({ key: Buffer.alloc(16, 1).toString('base64') }, { id: 'No' }, template);
    const row = (cells: Row['cells']) => ({ number: 3, cells, endByte: 0 });
    expect(prepare(row({ No: 'ada' }))).toMatchObject({ pass: { id: 'ada' } });
    expect(prepare(row({ No: ' ' }))).toMatchObject({ pass: { id: rowId(Buffer.alloc(16, 1), 3) } });
  });
});

describe('a table', () => {
  it.each([
    ['commas', 'Name,Seat\r\nAda,"1,2"\r\n"Grace ""G""",3'],
    ['semicolons and a byte order mark', '\ufeffName;Seat\nAda;1,2\n\n;\n"Grace ""G""";3\n'],
    ['tabs', 'Name\tSeat\nAda\t1,2\n"Grace ""G"""\t3\n'],
  ])('a table with %s is read correctly', async (_, text) => {
    const file = await table(text);
    expect(file.columns).toEqual(['Name', 'Seat']);
    expect((await all(file)).map(({ number, cells }) => [number, cells])).toEqual([
      [1, { Name: 'Ada', Seat: '1,2' }],
      [2, { Name: 'Grace "G"', Seat: '3' }],
    ]);
  });

  it('a faulty row is reported with its number, and a broken file is rejected before any row is sent', async () => {
    const rows = await all(await table(Buffer.concat([Buffer.from('Name\na,b\n'), Buffer.from([0xe4, 10, 99, 10])])));
    expect(rows.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('2 cells'),
      expect.stringContaining('not UTF-8'),
      undefined,
    ]);
    const lines = await all(await table('{"id":"a"}\n\n[1]\n{"id"\n', 'people.ndjson'));
    expect(lines.map(({ problem }) => problem)).toEqual([
      undefined,
      'It is not a JSON object',
      expect.stringContaining('It is not JSON: '),
    ]);
    await expect(table('Name,Name\n')).rejects.toThrow('two columns "Name"');
    await expect(table('')).rejects.toThrow('is empty');
    await expect(table(Buffer.from('Gr\xf6\xdfe,Name\n1,Ada\n', 'latin1'))).rejects.toThrow('not UTF-8');
    // Reject the file before any row is sent, because the corrected file counts as another import.
    await expect(table('Name\nAda\n"never ended\n')).rejects.toThrow(/Quote/);
  });

  it('a table has one row for each line of NDJSON, even if texts contain line separators', async () => {
    const odd = { id: 'a', primaryValue: 'one\u2028two\u2029three\rfour' };
    const rows = await all(await table(`\ufeff${JSON.stringify(odd)}\r\n{"id":"b"}`, 'people.ndjson'));
    expect(rows.map(({ cells }) => cells)).toEqual([odd, { id: 'b' }]);
    expect(rows.at(-1)?.endByte).toBe(Buffer.byteLength(`\ufeff${JSON.stringify(odd)}\r\n{"id":"b"}`));
    const endless = await table('x'.repeat(3_000_000), 'endless.ndjson');
    await expect(all(endless)).rejects.toThrow(/line 1 is longer than 1 MiB/);
  });
});

it('a mapping with an unknown part or column is rejected', () => {
  expect(readMapOption('fields.a.b=C=D')).toEqual({ 'fields.a.b': 'C=D' });
  expect(readMapOption('group.order=No')).toEqual({ 'group.order': 'No' });
  expect(checkedMapping({ code: 'C', fields: { seat: 'S' } }, 'm.yaml')).toEqual({ code: 'C', 'fields.seat': 'S' });
  for (const wrong of ['colour=C', 'code', '=C', 'fields.=C']) expect(() => readMapOption(wrong)).toThrow();
  expect(() => completeMapping({ code: 'Code' }, ['code'], template)).toThrow('There is no column "Code"');
});

describe('the state of an import', () => {
  const plan: ImportPlan = {
    service: 'https://passes.example.com',
    template: 'gym',
    file: { sizeBytes: 1, hash: 'aa', format: 'csv' },
    mapping: { primaryValue: 'Name', id: 'No' },
    results: 'people.results.csv',
  };
  const files = (name = 'people.csv', format: 'csv' | 'ndjson' = 'csv') =>
    importFiles({ path: join(dir, name), format });

  it('importState continues an import with the same plan, and rejects another plan if passes were created', async () => {
    const first = await importState(files(), plan, false);
    expect(Buffer.from(first.key, 'base64')).toHaveLength(16);
    const sameInOtherOrder = { ...plan, mapping: { id: 'No', primaryValue: 'Name' } };
    expect((await importState(files(), sameInOtherOrder, false)).key).toBe(first.key);
    await saveState(files().state, { ...first, progress: { ...noProgress, rows: 2, created: 2 } });
    for (const changed of [
      { template: 'pool' },
      { service: 'https://other.example.com' },
      { file: { ...plan.file, hash: 'bb' } },
      { mapping: {} },
    ]) {
      await expect(importState(files(), { ...plan, ...changed }, false)).rejects.toThrow(/up to row 2/);
    }
    expect((await importState(files(), plan, true)).key).not.toBe(first.key);
  });

  it('importState rejects another plan if rows were sent and their results are unknown', async () => {
    const first = await importState(files(), plan, false);
    await saveState(files().state, { ...first, progress: { ...noProgress, open: true } });
    expect((await importState(files(), plan, false)).key).toBe(first.key);
    await expect(importState(files(), { ...plan, mapping: {} }, false)).rejects.toThrow(/up to row 0/);
  });

  it('importState accepts another plan if nothing was created, but always rejects a damaged state', async () => {
    await importState(files(), plan, false);
    expect((await importState(files(), { ...plan, template: 'pool' }, false)).plan.template).toBe('pool');
    writeFileSync(files().state, readFileSync(files().state, 'utf8').slice(0, 40));
    await expect(importState(files(), plan, false)).rejects.toThrow('not the state of an import');
  });

  it('each table has its own file names, different from those that version 0.1 used for several tables', () => {
    const names = [
      'people',
      'people.csv',
      'people.tsv',
      'people.jsonl',
      'people.csv.csv',
      'people.tsv.csv',
      'people.v2',
    ];
    const made = [...names, 'people.v2.csv', 'people.ndjson'].map((name) => files(name));
    const all = made.flatMap(({ state, results }) => [basename(state), basename(results)]);
    expect(all.slice(0, 4)).toEqual([
      'people-import.json',
      'people-results.csv',
      'people.csv.import.json',
      'people.results.csv',
    ]);
    expect(new Set(all).size).toBe(18);
    expect(files('people', 'ndjson').results).not.toBe(files('people.ndjson', 'ndjson').results);
    expect(all).not.toContain(basename(files().older.state));
  });

  it('an import of version 0.1 continues under current file names, unless its table or format has changed', async () => {
    const older = {
      version: 1,
      key: Buffer.alloc(16, 7).toString('base64'),
      plan,
      progress: { ...noProgress, created: 1 },
    };
    const path = join(dir, 'people.import.json');
    await saveState(path, older as ImportState);
    const lines = { ...plan, file: { ...plan.file, format: 'ndjson' as const }, results: 'people.results.ndjson' };
    expect((await importState(files('people.ndjson', 'ndjson'), lines, false)).key).not.toBe(older.key);
    await expect(importState(files(), { ...plan, file: { ...plan.file, hash: 'bb' } }, false)).rejects.toThrow(
      'changed',
    );
    expect(await importState(files(), plan, false)).toEqual(older);
    expect([existsSync(path), (await importState(files(), plan, false)).key]).toEqual([false, older.key]);

    await saveState(path, older as ImportState);
    writeFileSync(join(dir, 'people.results.csv'), 'Name\n');
    const tabs = { ...plan, results: 'people.tsv.results.csv' };
    expect(await importState(files('people.tsv'), tabs, false)).toEqual({ ...older, plan: tabs });
    expect(readFileSync(join(dir, 'people.tsv.results.csv'), 'utf8')).toBe('Name\n');
  });

  it('importState leaves the files of version 0.1 for people.csv to that table', async () => {
    const key = Buffer.alloc(16, 7).toString('base64');
    const path = join(dir, 'people.import.json');
    await saveState(path, { version: 1, key, plan, progress: { ...noProgress, created: 1 } });
    const stored = readFileSync(path, 'utf8');
    const other = { ...plan, template: 'pool', file: { ...plan.file, hash: 'bb' } };
    for (const name of ['people.tsv', 'people', 'people.txt']) {
      const paths = files(name);
      const begun = await importState(paths, { ...other, results: basename(paths.results) }, false);
      expect([begun.key === key, readFileSync(path, 'utf8')]).toEqual([false, stored]);
    }
    const elsewhere = importFiles({ path: join(dir, 'x.csv'), format: 'csv' }, join(dir, 'people.out'));
    expect((await importState(elsewhere, { ...other, results: 'people.out' }, false)).key).not.toBe(key);
    expect((await importState(files(), plan, false)).key).toBe(key);
  });
});

describe('the lock of a result file', () => {
  const lock = () => join(dir, 'out.csv.lock');
  const take = () => withImportLock(join(dir, 'out.csv'), () => Promise.resolve('taken'));
  const leave = (holder: object | string) =>
    writeFileSync(
      lock(),
      typeof holder === 'string' ? holder : JSON.stringify({ host: hostname(), token: 'x', ...holder }),
    );
  /** Returns the pid of a process that has ended. */
  const gone = () => spawnSync(process.execPath, ['-e', '']).pid;

  it('a result file stays locked until its import ends or fails', async () => {
    await withImportLock(join(dir, 'out.csv'), async () => {
      await expect(take()).rejects.toThrow(`Process ${process.pid} on ${hostname()} is writing out.csv.`);
    });
    const failing = withImportLock(join(dir, 'out.csv'), () => Promise.reject(new Error('gone')));
    await expect(failing).rejects.toThrow('gone');
    expect([await take(), existsSync(lock())]).toEqual(['taken', false]);
    leave({ pid: process.ppid });
    await expect(take()).rejects.toThrow(`Process ${process.ppid}`);
    leave({ pid: gone(), host: 'elsewhere' });
    await expect(take()).rejects.toThrow('on elsewhere is writing');
    leave('');
    await expect(take()).rejects.toThrow('Another import is writing');
  });

  it('only one of several waiting imports gets the lock of a killed process', async () => {
    leave({ pid: gone() });
    let [at, rejected] = [0, 0];
    let letGo = (): void => undefined;
    const othersRejected = new Promise<void>((resolve) => (letGo = resolve));
    const one = () =>
      withImportLock(join(dir, 'out.csv'), () => ((at += 1), othersRejected)).catch(() => {
        if (++rejected === 7) letGo();
      });
    await Promise.all(Array.from({ length: 8 }, one));
    expect([at, rejected]).toEqual([1, 7]);
    // In a container, a new import may have the same pid as the killed one.
    leave({ pid: process.pid });
    expect(await take()).toBe('taken');
    leave('{"pid":');
    utimesSync(lock(), 1, 1);
    expect(await take()).toBe('taken');
  });
});

describe('a result file', () => {
  const cells = fc.dictionary(fc.constantFrom('Name', 'Seat'), fc.string());

  it('a result file preserves cells with any content when it is written and read again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 5 }), async (given) => {
        const file = await table('Name,Seat\n');
        const path = join(dir, 'out.csv');
        const results = (await ResultFile.open(path, file, 0))!;
        await results.append(given.map((one, i) => ({ row: { number: i + 1, cells: one, endByte: 0 }, id: 'x' })));
        await results.close();
        const read = await all(await tableFile(path));
        expect(read.map(({ cells: { Name, Seat } }) => [Name, Seat])).toEqual(
          given.map(({ Name = '', Seat = '' }) => [Name, Seat]),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('a result file keeps all values of a failed NDJSON row, and adds the error', async () => {
    const file = await table('{"code":"A1"}\n', 'people.ndjson');
    const path = join(dir, 'out.ndjson');
    const results = (await ResultFile.open(path, file, 0))!;
    const sent: SentRow = { row: (await all(file))[0]!, code: 'pass_exists', error: 'pass_exists: there' };
    await results.append([sent]);
    await results.close();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ code: 'A1', error: 'pass_exists: there' });
  });

  it('a result file is truncated after the last counted row, and is rejected if counted rows are missing', async () => {
    const file = await table('Name\nAda\n');
    const path = join(dir, 'out.csv');
    const row = { number: 1, cells: { Name: 'Ada' }, endByte: 9 };
    const results = (await ResultFile.open(path, file, 0))!;
    await results.append([{ row, id: 'a' }]);
    const { bytes } = results;
    await results.close();
    const whole = readFileSync(path, 'utf8');
    appendFileSync(path, 'Grace,"b');
    const again = (await ResultFile.open(path, file, bytes))!;
    expect(readFileSync(path, 'utf8')).toBe(whole);
    await again.append([{ row: { ...row, cells: { Name: 'G' } }, error: 'x: y' }]);
    await again.close();
    expect(readFileSync(path, 'utf8')).toBe(`${whole}G,,,,,x: y\n`);
    expect(await ResultFile.open(path, file, 10_000)).toBeNull();
  });
});

const runPlan = {
  service: 's',
  template: 't',
  file: { sizeBytes: 1, hash: 'a', format: 'csv' },
  mapping: {},
  results: 'r',
};
const state: ImportState = { version: 1, key: 'k', plan: runPlan as ImportPlan, progress: noProgress };

async function runOf(rowCount: number, send: (rows: readonly Prepared[]) => Promise<SentRow[]>, maxErrors = Infinity) {
  const file = await table(`n\n${Array.from({ length: rowCount }, (_, i) => `${i + 1}\n`).join('')}`);
  const results = (await ResultFile.open(join(dir, 'out.csv'), file, 0))!;
  const prepare = (row: Row) => ({ row, pass: { id: `i${row.number}` } });
  const parts = {
    statePath: join(dir, 'state.json'),
    results,
    sender: { send },
    prepare,
    progress: () => undefined,
    signal: new AbortController().signal,
    maxErrors,
  };
  const outcome = await new ImportRun(state, parts).run(rowsOf(file)).catch((error: Error) => error);
  await results.close();
  const saved = JSON.parse(readFileSync(parts.statePath, 'utf8')) as ImportState;
  return { outcome, saved: saved.progress, lines: readFileSync(join(dir, 'out.csv'), 'utf8').split('\n') };
}
const messageOf = (outcome: unknown) => (outcome as Error).message;
const done = ({ row }: Prepared): SentRow => ({ row, id: `i${row.number}` });

describe('a run', () => {
  it('a run writes rows in order even if later requests end first, and counts the failures by reason', async () => {
    let turn = 0;
    const { outcome, lines } = await runOf(2500, async (rows) => {
      // The first request gets its response last.
      for (let waits = 8 - turn++ * 3; waits > 0; waits--) await new Promise(setImmediate);
      return rows.map((one) =>
        one.row.number % 1000 === 0 ? { row: one.row, code: 'pass_exists', error: 'pass_exists: there' } : done(one),
      );
    });
    expect(lines.slice(1, -1).map((text) => Number(text.split(',')[0]))).toEqual(
      Array.from({ length: 2500 }, (_, i) => i + 1),
    );
    expect(outcome).toMatchObject({ rows: 2500, created: 2498, failed: 2, done: true });
    expect(outcome).toMatchObject({
      failures: { pass_exists: { count: 2, first: [{ row: 1000, message: 'there' }, {}] } },
    });
  });

  it('a run stops if a row exceeds a limit, if too many rows fail, or if all rows fail', async () => {
    const limited = await runOf(10, (rows) =>
      Promise.resolve(
        rows.map((one) =>
          one.row.number > 4 ? { row: one.row, code: 'limit_exceeded', error: 'limit_exceeded: full' } : done(one),
        ),
      ),
    );
    expect(limited).toMatchObject({ saved: { rows: 4, created: 4, done: false } });
    expect(messageOf(limited.outcome)).toContain('full (at row 5)');
    const failing = (rows: readonly Prepared[]) =>
      Promise.resolve(rows.map(({ row }) => ({ row, code: 'validation_failed', error: 'validation_failed: no' })));
    expect(messageOf((await runOf(10, failing, 3)).outcome)).toContain('More than 3 rows failed');
    expect(messageOf((await runOf(300, failing)).outcome)).toContain('have all failed: no');
  });
});

describe('a run that stops midway', () => {
  it('a run records its rows as open on disk before it sends the first one', async () => {
    const open: boolean[] = [];
    const seen = () =>
      (JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')) as ImportState).progress.open === true;
    const failing = (rows: readonly Prepared[]) => {
      open.push(seen());
      return Promise.resolve(
        rows.map(({ row }) => ({ row, code: 'validation_failed', error: 'validation_failed: no' })),
      );
    };
    const { saved } = await runOf(2500, failing);
    expect(open).toEqual([true, true, true]);
    expect([saved.open, saved.rows]).toEqual([false, 2500]);
    const gone = await runOf(1500, (rows) =>
      rows[0]?.row.number === 1 ? Promise.reject(new Error('gone')) : Promise.resolve(rows.map(done)),
    );
    expect(gone.saved).toMatchObject({ rows: 0, open: true });
  });
});
