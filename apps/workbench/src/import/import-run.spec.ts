import { PasswrightError, type PassRequest } from '@passwright/client';
import { tableOf } from '../model/table/table-file.js';
import type { ImportKind } from './import-kind.js';
import { ImportRun } from './import-run.js';
import { memberImport } from './member-import.js';
import { passImport } from './pass-import.js';

const template = { id: 'club', type: 'membership', primaryLabel: 'Member', fields: [{ key: 'seat', label: 'Seat' }] };
const { signal } = new AbortController();
const rejection = () =>
  new PasswrightError('No seat.', { code: 'validation_failed', statusCode: 400, requestId: null });

/** A kind of import whose service stores passes by id, rejects passes without a seat, and stops after some lines. */
function kindOf(breakAfter = Infinity) {
  const stored = new Map<string, PassRequest>();
  const kind: ImportKind<PassRequest> = {
    ...passImport(undefined as never, template),
    async *send(lines) {
      let index = 0;
      for await (const pass of lines) {
        if (index === breakAfter) throw new Error('broken');
        const results = { id: pass.id ?? '' };
        const known = stored.has(results.id) ? ({ existing: true } as const) : {};
        if (pass.fields) stored.set(results.id, pass);
        yield pass.fields ? { index, results, ...known } : { index, error: rejection() };
        index += 1;
      }
    },
  };
  return { kind, stored };
}

async function runOf(text: string, { kind }: ReturnType<typeof kindOf>) {
  const table = await tableOf(new File([text], 'people.csv'), signal);
  return new ImportRun(kind, table, kind.match(table.columns ?? []));
}

it('an import counts its rows, and writes rejected rows with their reasons in the order of the file', async () => {
  const run = await runOf('Member,Seat,Extra\nAda,1,x\nAlan,,y\nGrace,3,z,w\nMary,4,\n', kindOf());
  await run.send(signal);
  expect([run.counts, run.isDone]).toEqual([{ rows: 4, created: 2, existing: 0, rejected: 2 }, true]);
  expect(await run.wrong.file('rejected').text()).toBe(
    'Member,Seat,Extra,error\nAlan,,y,No seat.\nGrace,3,z,"The row has 4 cells, but there are 3 columns."\n',
  );
  const all = run.all.file('results');
  expect([all.name, (await all.text()).split('\n').length]).toEqual(['people.results.csv', 6]);
});

it('an interrupted import continues after the last result, with the same ids', async () => {
  const service = kindOf(2);
  const run = await runOf('Member,Seat\nAda,1\nAlan,2\nGrace,3\nMary,4\n', service);
  await expect(run.send(signal)).rejects.toThrow('broken');
  expect(run.counts).toMatchObject({ rows: 2, created: 2 });
  await run.send(signal);
  expect([run.counts.created, run.isDone, service.stored.size]).toEqual([4, true, 4]);
});

it('a check finds the rows that the service would reject, and sends nothing', async () => {
  const service = kindOf(0);
  const run = await runOf('Member,Seat,Expiry\nAda,1,\n,2,31.12.2030\n', service);
  await run.check(signal);
  expect(run.counts).toMatchObject({ rows: 2, rejected: 1 });
  expect(run.rejected[0]?.reason).toMatch(/expiry.*primaryValue is missing/);
});

it('rows become members, and columns that are not properties of a member become its data', () => {
  const kind = memberImport(undefined as never);
  const mapping = kind.match(['E-Mail', 'NAME', 'Tier', 'error']);
  expect(mapping).toEqual({ email: 'E-Mail', name: 'NAME', 'data.Tier': 'Tier' });
  const cells = { 'E-Mail': ' ada@example.com', NAME: 'Ada', Tier: 'gold', error: 'member_exists' };
  expect(kind.lineOf(mapping, { number: 1, cells })).toEqual({
    email: 'ada@example.com',
    name: 'Ada',
    data: { Tier: 'gold' },
  });
});
