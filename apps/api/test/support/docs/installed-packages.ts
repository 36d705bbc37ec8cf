import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from './doc-snippets.js';

const folders = ['apps/cli', 'libs/clients/client'];
const sources = join(root, 'libs/testing/jest/typescript-sources.cjs');

/** The client and the command line, as a reader installs them from tarballs. */
export class InstalledPackages {
  private constructor(private readonly home: string) {}

  /** Packs the built packages and unpacks them as npm does. Their dependencies come from the checkout. */
  static install(): InstalledPackages {
    const home = mkdtempSync(join(tmpdir(), 'passwright reader '));
    const output = execFileSync(process.execPath, [join(root, 'tools/pack.mjs'), home, ...folders], {
      encoding: 'utf8',
    });
    const modules = join(home, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    for (const folder of folders) {
      const own = join(modules, '@passwright', basename(folder));
      const tarball = output.split('\n').find((path) => path.includes(`passwright-${basename(folder)}-`));
      mkdirSync(own, { recursive: true });
      execFileSync('tar', ['-xzf', String(tarball), '-C', own, '--strip-components=1']);
      const { bin = {}, dependencies = {} } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
      for (const [command, path] of Object.entries<string>(bin)) {
        symlinkSync(join(own, path), join(modules, '.bin', command));
      }
      for (const dependency of Object.keys(dependencies)) link(folder, modules, dependency);
    }
    return new InstalledPackages(home);
  }

  /** Gives a folder the packages and the script `service:operator`. */
  installIn(folder: string): void {
    const operator = `'${process.execPath}' -r '${sources}' '${root}/apps/api/src/operator.ts'`;
    const manifest = { name: 'reader', private: true, scripts: { 'service:operator': operator } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    symlinkSync(join(this.home, 'node_modules'), join(folder, 'node_modules'));
  }

  remove(): void {
    rmSync(this.home, { recursive: true });
  }
}

function link(folder: string, modules: string, dependency: string): void {
  const paths = [folder, ''].map((within) => join(root, within, 'node_modules', dependency));
  const found = paths.find((path) => existsSync(path));
  const target = join(modules, dependency);
  if (found && !dependency.startsWith('@passwright/') && !existsSync(target)) symlinkSync(found, target);
}
