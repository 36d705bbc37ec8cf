import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const lib = join(__dirname, '..', '..', '..', '..', 'tools', 'soak', 'lib');

it('each check of the soak test of messages detects its error', () => {
  expect(() =>
    execFileSync(process.execPath, ['--test', 'message-checks.test.mjs', 'message-order.test.mjs'], {
      stdio: 'pipe',
      cwd: lib,
    }),
  ).not.toThrow();
});
