import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const executors = resolve(__dirname, '../../../../tools/executors');
let root: string;

const files = {
  'jest.config.mjs': `export default { testEnvironment: 'node', testMatch: ['**/*.spec.js'] };`,
  'eslint.config.mjs': `export default [{ files: ['**/*.ts'], rules: { 'no-debugger': 'error', 'prefer-const': 'warn' } }];`,
  'shared/faulty.ts': `export const shared: string = 1;`,
  'good/index.ts': `import { shared } from '../shared/faulty.js';\nexport const good = shared;`,
  'good/index.spec.js': `it('passes', () => undefined);`,
  'bad/index.ts': `debugger;\nexport const bad = 1;\nbad.toFixed = null;`,
  'bad/index.spec.js': `it('fails', () => { throw new Error('no'); });`,
  'warned/index.ts': `let warned = 1;\nexport { warned };`,
  'empty/index.ts': `export const empty = 1;`,
};

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'executors-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const compilerOptions = { strict: true, noEmit: true, types: [], module: 'nodenext', target: 'es2022' };
  for (const folder of ['good', 'bad', 'warned', 'empty'])
    writeFileSync(join(root, folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
});
afterAll(() => rmSync(root, { recursive: true }));

/**
 * Runs an executor on projects, as Nx does.
 * @returns its result for each project
 */
function run(executor: string, folders: readonly string[], options: object = {}): Record<string, Outcome> {
  const tasks = Object.fromEntries(folders.map((folder) => [folder, { projectRoot: folder }]));
  const inputs = Object.fromEntries(folders.map((folder) => [folder, options]));
  const result = join(root, 'result.json');
  const program = `require(${JSON.stringify(join(executors, `${executor}.cjs`))})
    .runMany(${JSON.stringify({ tasks })}, ${JSON.stringify(inputs)}, {}, { root: process.cwd() })
    .then((outcomes) => require('node:fs').writeFileSync(${JSON.stringify(result)}, JSON.stringify(outcomes)))`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(readFileSync(result, 'utf8')) as Record<string, Outcome>;
}

interface Outcome {
  readonly success: boolean;
  readonly terminalOutput: string;
}

const successes = (outcomes: Record<string, Outcome>) =>
  Object.fromEntries(Object.entries(outcomes).map(([id, { success }]) => [id, success]));

it('the executor for types fails only projects with an error in their own files', () => {
  const outcomes = run('types', ['good', 'bad', 'empty']);
  expect(successes(outcomes)).toEqual({ good: true, bad: false, empty: true });
  expect(outcomes.bad?.terminalOutput).toContain('bad/index.ts(3,1)');
});

it('the executor for lint fails projects with an error or a warning', () => {
  const outcomes = run('lint', ['good', 'bad', 'warned', 'empty']);
  expect(successes(outcomes)).toEqual({ good: true, bad: false, warned: false, empty: true });
  expect(outcomes.bad?.terminalOutput).toContain('no-debugger');
});

it('the executor for Jest fails projects with a failing spec, or without specs unless the options allow that', () => {
  expect(successes(run('jest', ['good', 'bad', 'empty']))).toEqual({ good: true, bad: false, empty: false });
  expect(successes(run('jest', ['good', 'empty'], { passWithNoTests: true }))).toEqual({ good: true, empty: true });
});
