import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/* This spec makes mistakes that `npm start` must report before it builds. */

const root = join(__dirname, '../../../..');
const NOBODY = 65534;
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'passwright start ')));
});
afterEach(() => {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o755);
  rmSync(folder, { recursive: true });
});

/** Runs a script of the tools. @returns its exit code and what it prints */
async function run(script: string, variables: Record<string, string> = {}, uid?: number) {
  const { PATH, TMPDIR } = process.env;
  const env = { PATH, TMPDIR, DATA_DIR: join(folder, 'data'), ...variables };
  const child = spawn(process.execPath, [script], { env, uid, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number, out, err };
}

const start = (variables: Record<string, string>) => run(join(root, 'tools/start.mjs'), variables);

it('npm start reports a wrong configuration before it builds', async () => {
  const { code, out, err } = await start({ PORT: 'x', LOG_LEVEL: 'loud' });
  expect(err).toMatch(/The configuration has 2 problems:\n {2}- PORT must be .*\n {2}- LOG_LEVEL must be/);
  expect([code, out]).toEqual([1, '']);
});

it('npm start reports a port in use before it builds', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, out, err } = await start({ PORT: String(port) });
  server.close();
  expect(err).toContain(`Port ${port} on 127.0.0.1 is in use, perhaps by a Passwright that is already running.`);
  expect([code, out]).toEqual([1, '']);
});

it('npm start builds even if it cannot compile the check of the configuration', async () => {
  mkdirSync(join(folder, 'tools'));
  cpSync(join(root, 'tools/install.mjs'), join(folder, 'tools/install.mjs'));
  const script = join(folder, 'tools/check.mjs');
  writeFileSync(script, "import { check } from './install.mjs';\ncheck();\nconsole.log('checked');\n");
  expect(await run(script)).toEqual({ code: 0, out: 'checked\n', err: '' });
});

// Windows has another system of file permissions.
(process.platform === 'win32' ? it.skip : it)('npm start names a folder that it cannot write to', async () => {
  for (const name of ['tools', '.nx']) mkdirSync(join(folder, name));
  cpSync(join(root, 'tools/install.mjs'), join(folder, 'tools/install.mjs'));
  cpSync(join(root, 'tools/start.mjs'), join(folder, 'tools/start.mjs'));
  // Root may write anywhere, so root runs the script as another user.
  const isRoot = process.getuid?.() === 0;
  chmodSync(join(folder, '.nx'), 0o555);
  chmodSync(folder, 0o777);
  const { code, out, err } = await run(join(folder, 'tools/start.mjs'), {}, isRoot ? NOBODY : undefined);
  expect(err).toBe(
    `You cannot write to ${join(folder, '.nx')}: another user has installed or built here.\n` +
      `Take the folder over: sudo chown -R "$(id -u)" '${folder}/'\n`,
  );
  expect([code, out]).toEqual([1, '']);
});

it('npm start in a release archive installs only the runtime packages, and builds nothing', async () => {
  for (const name of ['tools', 'apps/api/dist']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['install', 'start']) cpSync(join(root, `tools/${name}.mjs`), join(folder, `tools/${name}.mjs`));
  writeFileSync(join(folder, 'release.json'), '{}');
  const showsItsArguments = "console.log(require('node:path').basename(__filename), ...process.argv.slice(2));";
  writeFileSync(join(folder, 'npm.js'), showsItsArguments);
  writeFileSync(join(folder, 'apps/api/dist/main.js'), showsItsArguments);
  const { code, out, err } = await run(join(folder, 'tools/start.mjs'), { npm_execpath: join(folder, 'npm.js') });
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n')).toEqual([
    'Installing 400 MB of packages, which takes about half a minute …',
    'npm.js ci --omit=dev --no-audit --no-fund --loglevel=error',
    'main.js --check',
    'main.js',
    '',
  ]);
});
