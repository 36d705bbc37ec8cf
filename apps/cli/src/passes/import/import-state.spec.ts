import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { temporaryTables } from '../rows/tables.fixtures.js';
import { type ImportPlan, importState, type ImportState, noProgress, saveState } from './import-state.js';
import { importFiles } from './import-files.js';

const { pathOf } = temporaryTables();

const plan: ImportPlan = {
  service: 'https://passes.example.com',
  template: 'gym',
  file: { sizeBytes: 1, hash: 'aa', format: 'csv' },
  mapping: { primaryValue: 'Name', id: 'No' },
  results: 'people.results.csv',
};
const files = (name = 'people.csv', format: 'csv' | 'ndjson' = 'csv') => importFiles({ path: pathOf(name), format });

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
  const names = ['people', 'people.csv', 'people.tsv', 'people.jsonl', 'people.csv.csv', 'people.tsv.csv', 'people.v2'];
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
  const path = pathOf('people.import.json');
  await saveState(path, older as ImportState);
  const lines = { ...plan, file: { ...plan.file, format: 'ndjson' as const }, results: 'people.results.ndjson' };
  expect((await importState(files('people.ndjson', 'ndjson'), lines, false)).key).not.toBe(older.key);
  await expect(importState(files(), { ...plan, file: { ...plan.file, hash: 'bb' } }, false)).rejects.toThrow('changed');
  expect(await importState(files(), plan, false)).toEqual(older);
  expect([existsSync(path), (await importState(files(), plan, false)).key]).toEqual([false, older.key]);

  await saveState(path, older as ImportState);
  writeFileSync(pathOf('people.results.csv'), 'Name\n');
  const tabs = { ...plan, results: 'people.tsv.results.csv' };
  expect(await importState(files('people.tsv'), tabs, false)).toEqual({ ...older, plan: tabs });
  expect(readFileSync(pathOf('people.tsv.results.csv'), 'utf8')).toBe('Name\n');
});

it('importState leaves the files of version 0.1 for people.csv to that table', async () => {
  const key = Buffer.alloc(16, 7).toString('base64');
  const path = pathOf('people.import.json');
  await saveState(path, { version: 1, key, plan, progress: { ...noProgress, created: 1 } });
  const stored = readFileSync(path, 'utf8');
  const other = { ...plan, template: 'pool', file: { ...plan.file, hash: 'bb' } };
  for (const name of ['people.tsv', 'people', 'people.txt']) {
    const paths = files(name);
    const begun = await importState(paths, { ...other, results: basename(paths.results) }, false);
    expect([begun.key === key, readFileSync(path, 'utf8')]).toEqual([false, stored]);
  }
  const elsewhere = importFiles({ path: pathOf('x.csv'), format: 'csv' }, pathOf('people.out'));
  expect((await importState(elsewhere, { ...other, results: 'people.out' }, false)).key).not.toBe(key);
  expect((await importState(files(), plan, false)).key).toBe(key);
});
