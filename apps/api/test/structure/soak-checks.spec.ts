import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const lib = join(__dirname, '..', '..', '..', '..', 'tools', 'soak', 'lib');

it('the checks of the soak test of messages find each error that they are for', () => {
  expect(() =>
    execFileSync(process.execPath, ['--test', 'message-checks.test.mjs', 'message-order.test.mjs'], {
      stdio: 'pipe',
      cwd: lib,
    }),
  ).not.toThrow();
});
