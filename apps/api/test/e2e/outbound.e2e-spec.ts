import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../../../..');
const sources = join(root, 'libs/testing/jest/typescript-sources.cjs');

/** Returns true if this user may create a network namespace. */
function hasNamespaces(): boolean {
  try {
    execFileSync('unshare', ['-rn', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('Skipped: calls without a network route (no network namespaces: unshare -rn fails here)\n');
    return false;
  }
}

(hasNamespaces() ? it : it.skip)(
  'every client reports a failed call if no network route leads to its address',
  async () => {
    const script = join(root, 'apps/api/test/support/calls-without-route.ts');
    const { stdout } = await promisify(execFile)('unshare', ['-rn', process.execPath, '-r', sources, script]);
    const ends = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as Record<string, string>;
    expect(Object.keys(ends)).toHaveLength(17);
    for (const [call, end] of Object.entries(ends)) {
      expect(`${call}: ${end}`).toMatch(/EADDRNOTAVAIL|ENETUNREACH|ECONNREFUSED|not_ready/);
    }
  },
);
