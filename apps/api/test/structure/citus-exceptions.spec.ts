import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../../..');

interface Exception {
  readonly spec: string;
  readonly tests?: readonly string[];
}

it('each exception of the suite on Citus names a spec that exists, and no spec or test is listed twice', () => {
  const list = JSON.parse(readFileSync(join(root, 'tools/citus-exceptions.json'), 'utf8')) as Exception[];
  expect(list.filter(({ spec }) => !existsSync(join(root, spec)))).toEqual([]);
  const names = list.flatMap(({ spec, tests = [''] }) => tests.map((test) => `${spec} ${test}`));
  expect(new Set(names).size).toBe(names.length);
});
