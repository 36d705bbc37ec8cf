/**
 * Runs the short form of the soak tests, in which errors last seconds instead of minutes. Tests that mostly wait run
 * side by side. Tests that need the whole machine run alone. Exits with 1 if a test fails. With --no-skips, also exits
 * with 1 if a test skips something because a Debian package or the git history is missing.
 *
 *   npm run soak:short -- [--no-skips] [names of tests]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 900_000;
/** The tests by round. In each round, several lanes run side by side. All lanes of a round take about the same time. */
const rounds = [
  [
    ['killed-nodes 2', 'killed-workers 1', 'messages 3', 'outside-services 2'],
    ['clocks 5', 'short-memory 2000 160', 'storage-faults 3 full cut', 'hostile-input short', 'cut-connections 1'],
    [
      'races 2 20 redeem one plan',
      'fuzz 600 20261123',
      'pod-rollout 1',
      'rolling-upgrade 5',
      'restores 3',
      'node-faults 3 migrating',
    ],
    [
      'failover 5 dies returns stays',
      'database-faults 4 kill full many KILL',
      'swallowed-packets 5 Postgres push',
      'slow-names 4 silent',
      'node-faults 3 handle storage frozen port',
      'operator-faults 3 listeners few formats all',
    ],
  ],
  [['queue-behind 10', 'mixed-load 0.35', 'hostile-tenant short']],
];
const given = process.argv.slice(2);
const wanted = given.filter((word) => !word.startsWith('--'));
const noSkips = given.includes('--no-skips');
const [failed, skipped] = [[], []];
for (const lanes of rounds) await Promise.all(lanes.map((lane) => runLane(lane)));
for (const reason of skipped) console.log(reason);
console.log(failed.length > 0 ? `FAILED ${failed.join(', ')}` : 'All tests that ran have passed.');
process.exit(failed.length > 0 ? 1 : 0);

async function runLane(lane) {
  for (const line of lane) {
    const [name, ...words] = line.split(' ');
    if (wanted.length === 0 || wanted.includes(name)) await run(name, words);
  }
}

async function run(name, words) {
  const startedAt = performance.now();
  const script = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGTERM'), LIMIT_MS);
  const [output, complaints, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  clearTimeout(timer);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`== ${name} (${seconds} s)${code === 0 ? '' : ' FAILED'}\n${output}${complaints}`);
  if (code !== 0) failed.push(name);
  const reasons = output.split('\n').filter((line) => /\b(SKIPPED|MISSING)\b/.test(line));
  for (const reason of reasons) skipped.push(`${name}: ${reason}`);
  if (noSkips && reasons.some((reason) => reason.startsWith('MISSING'))) failed.push(name);
}
