import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const plan = join(__dirname, '..', '..', '..', '..', 'tools', 'plan');
const run = (...args: string[]) => execFileSync(process.execPath, args, { stdio: 'pipe', cwd: plan });

describe('the plan for a billion passes', () => {
  it('docs/a-billion-passes.md matches the output of npm run bench:plan', () => {
    expect(() => run('plan.mjs', '--check')).not.toThrow();
  });

  it('the simulation agrees with results that were computed by hand', () => {
    expect(() => run('--test', 'simulation.test.mjs')).not.toThrow();
  });
});
