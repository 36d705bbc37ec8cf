#!/usr/bin/env node
import { exitCodes } from './failures.js';
import { runCli } from './program.js';

const stop = new AbortController();
let asked = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The first signal asks the command to clean up. The second signal ends the process immediately.
    asked += 1;
    if (asked > 1) process.exit(exitCodes.interrupted);
    stop.abort();
  });
}
// The program that reads our output may end first (`passwright … | head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { stdin, stdout, stderr, env, argv } = process;
void runCli(argv.slice(2), { stdin, stdout, stderr, env, cwd: process.cwd(), signal: stop.signal }).then((code) => {
  process.exitCode = code;
  // Let the process end, even if an aborted prompt keeps stdin open.
  stdin.unref?.();
});
