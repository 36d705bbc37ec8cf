import 'reflect-metadata';
import { startApp } from './jobs.fixtures.js';

/** Runs test jobs as a child process on the database at the given address, and reports when the first one begins. */
async function main(): Promise<void> {
  const { errands } = await startApp({ url: process.argv[2] ?? '', abandonedAfterMs: 1500 });
  process.send?.('ready');
  await errands.until(() => errands.begun.length > 0);
  process.send?.(errands.begun[0]);
}

void main();
