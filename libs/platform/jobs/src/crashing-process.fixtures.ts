import 'reflect-metadata';
import { startApp } from './jobs.fixtures.js';

/** Runs as a child process with the address of a database: says when it has begun an errand. */
async function main(): Promise<void> {
  const { errands } = await startApp({ url: process.argv[2] ?? '', abandonedAfterMs: 1500 });
  process.send?.('ready');
  await errands.until(() => errands.begun.length > 0);
  process.send?.(errands.begun[0]);
}

void main();
