import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/* Runs `npm run dev` in a small workspace. Its service prints a value that a lib exports. */

const root = join(__dirname, '../../../..');
const VALUE = 'libs/platform/core/src/nouns/value.ts';
/** A source of the workbench and a source of the client, which the workbench contains but the service does not. */
const WORKBENCH = ['apps/workbench/src/main.tsx', 'libs/clients/client/src/index.ts'];
let folder: string;
let dev: ChildProcess;
let output: string;
const printer = new EventEmitter();

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'passwright dev ')));
  for (const path of ['tools/dev.mjs', 'tools/dev-service.cjs', 'jest.config.mjs']) copied(path);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  write('tools/install.mjs', installed);
  for (const path of WORKBENCH) write(path, '');
  write('apps/workbench/build.mjs', '');
  write('apps/api/src/main.ts', '');
  write('apps/api/dist/main.js', service);
  write(VALUE, valued('first'));
  write('libs/platform/core/dist/nouns/value.js', "exports.value = 'first';");
});

afterEach(async () => {
  if (dev.exitCode === null) {
    const exit = once(dev, 'exit');
    signalled('SIGTERM');
    await exit;
  }
  rmSync(folder, { recursive: true });
});

/** A fake of the script that installs, checks and builds. The fake does nothing. */
const installed = `import { fileURLToPath } from 'node:url';
export const root = fileURLToPath(new URL('..', import.meta.url));
export function install() {}
export function check() {}
export function build() {}
`;

/**
 * A fake service. On a signal, it ends with the exit code of a service that is still starting. If REPEATED is set, the
 * fake first sends that signal to the tool, as npm does.
 */
const service = `const { value } = require('../../../libs/platform/core/dist/nouns/value.js');
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
  console.log('service got ' + signal);
  if (process.env.REPEATED) process.kill(process.ppid, process.env.REPEATED);
  process.exit(143);
});
setInterval(() => undefined, 1000);
const isLoaded = Object.keys(require.cache).some((path) => path.includes('typeorm'));
console.log('packages are loaded: ' + isLoaded);
console.log('service: ' + value);
process.send('listening');
`;

const valued = (value: string) => `export const value: string = '${value}';\n`;

function write(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

function copied(path: string): void {
  cpSync(join(root, path), join(folder, path));
}

/** Starts the tool in a process group of its own, as a shell does, and waits for the service. */
async function started(variables: Record<string, string> = {}): Promise<void> {
  output = '';
  const env = { PATH: process.env.PATH, DATABASE_URL: 'postgres://unused', ...variables };
  dev = spawn(process.execPath, ['tools/dev.mjs'], { cwd: folder, env, detached: true, stdio: 'pipe' });
  for (const stream of [dev.stdout, dev.stderr]) {
    stream?.setEncoding('utf8').on('data', (part) => {
      output += part;
      printer.emit('printed');
    });
  }
  await Promise.all([printed('service: first'), printed('Watching')]);
}

/** Waits until the output contains a text after `from`. */
async function printed(text: string, from = 0): Promise<void> {
  while (!output.includes(text, from)) await once(printer, 'printed');
}

/** Sends a signal to the whole group, as a terminal does. */
function signalled(signal: NodeJS.Signals): void {
  process.kill(-dev.pid!, signal);
}

/** Changes the value and waits for the service to print it. */
async function changed(value: string, save: (content: string) => void): Promise<void> {
  const from = output.length;
  save(valued(value));
  await printed(`service: ${value}`, from);
}

const inPlace = (content: string) => writeFileSync(join(folder, VALUE), content);

/** Saves like git and many editors: writes the content to a new file, and renames it to replace the old one. */
function replaced(content: string): void {
  write('libs/platform/core/src/nouns/value.ts.new', content);
  renameSync(join(folder, 'libs/platform/core/src/nouns/value.ts.new'), join(folder, VALUE));
}

function recreated(content: string): void {
  rmSync(join(folder, VALUE));
  inPlace(content);
}

it('npm run dev restarts the service after a change of a file, even if an editor or git replaces the file', async () => {
  await started();
  for (const [name, save] of Object.entries({ inPlace, replaced, recreated })) {
    await changed(`${name} 1`, save);
    await changed(`${name} 2`, save);
    await changed(`${name} 3`, inPlace);
  }
  expect(output).not.toContain('ended with');
});

it('npm run dev restarts the service in a process that has already loaded the packages', async () => {
  await started();
  await changed('second', replaced);
  expect(output.match(/packages are loaded: .*/g)).toEqual(new Array(2).fill('packages are loaded: true'));
});

it('npm run dev keeps the service if a saved file compiles to the same code', async () => {
  await started();
  await changed('second', replaced);
  const from = output.length;
  replaced(valued('second'));
  await printed('The code is the same as before', from);
  await changed('third', replaced);
  expect(output.match(/service: .*/g)).toEqual(['service: first', 'service: second', 'service: third']);
});

it('npm run dev keeps the old service while a file has a syntax error', async () => {
  await started();
  inPlace('export const = 1;');
  await printed('The service runs on as it was before this change.');
  expect(output).toContain(VALUE);
  expect(output).not.toContain('service got');
  await changed('mended', replaced);
});

it('npm run dev compiles a new file in a new folder, and writes its source map', async () => {
  await started();
  write('libs/platform/core/src/more/other.ts', valued('other'));
  await printed('more/other.ts');
  const compiled = join(folder, 'libs/platform/core/dist/more/other.js');
  const [code, map] = readFileSync(compiled, 'utf8').split('//# sourceMappingURL=data:application/json;base64,');
  expect(code).toContain("'other'");
  const { sources } = JSON.parse(Buffer.from(map ?? '', 'base64').toString()) as { sources: string[] };
  expect(sources.map((source) => resolve(dirname(compiled), source))).toEqual([
    join(folder, 'libs/platform/core/src/more/other.ts'),
  ]);
});

it('npm run dev bundles the workbench after a change to it or the client, without restarting the service', async () => {
  await started();
  for (const path of WORKBENCH) {
    const from = output.length;
    write(path, valued('new'));
    await printed('Bundled the workbench: reload its page.', from);
  }
  expect(output).not.toContain('service got');
  expect(existsSync(join(folder, 'libs/clients/client/dist'))).toBe(false);
});

it('npm run dev makes the next build compile a changed project again, even if the change was undone', async () => {
  const compilerState = 'libs/platform/core/dist/.tsbuildinfo';
  write(compilerState, '{}');
  await started();
  await changed('discarded later', inPlace);
  expect(existsSync(join(folder, compilerState))).toBe(false);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  it(`npm run dev stops the service once after ${signal}, and prints no error`, async () => {
    await started({ REPEATED: signal });
    signalled(signal);
    const [code] = await once(dev, 'exit');
    expect([code, output.match(/service got .*/g)]).toEqual([0, ['service got SIGTERM']]);
    expect(output).not.toContain('ended with');
  });
}
