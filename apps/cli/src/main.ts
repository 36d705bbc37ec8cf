#!/usr/bin/env node
import { exitCodes } from './failures.js';
import type { Io } from './io.js';
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
const { stdin, stdout, stderr, env, argv } = process;
const io: Io = { stdin, stdout, stderr, env, cwd: process.cwd(), signal: stop.signal };
// The program that reads our output may end first (`passwright … 2>&1 | head`).
for (const output of [stdout, stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!io.mustFinish) process.exit(0);
  });
}

void runCli(argv.slice(2), io).then((code) => {
  process.exitCode = code;
  // Let the process end, even if an aborted prompt keeps stdin open.
  stdin.unref?.();
});
