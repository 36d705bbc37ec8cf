import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../../..');

it('each exception of the suite on Citus names a spec or a folder that exists', () => {
  const list = JSON.parse(readFileSync(join(root, 'tools/citus-exceptions.json'), 'utf8')) as { spec: string }[];
  expect(list.filter(({ spec }) => !existsSync(join(root, spec)))).toEqual([]);
  expect(new Set(list.map(({ spec }) => spec)).size).toBe(list.length);
});
