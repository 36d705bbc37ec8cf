import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { ConfigInvalid, loadConfig } from './config/config.js';
import { THREADS } from './config/thread-pool.js';
import { printWelcome } from './welcome.js';

// Signing runs on libuv's pool, one core per thread; it must be sized before its first use.
process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
if (existsSync('.env')) process.loadEnvFile('.env');

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  // Loaded only now: a wrong configuration is told at once.
  const { startService } = await import('./service.js');
  const service = await startService(config, { documentOnRequest: process.argv.includes('--document-on-request') });
  const stop = (reason: string) => {
    // A second signal means: now.
    for (const other of ['SIGINT', 'SIGTERM'] as const) process.once(other, () => process.exit(1));
    void service.stop(reason).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // Started by `npm start`: without it nobody could stop this process any more.
  process.once('disconnect', () => stop('the process that started it has ended'));
  // A process manager waits for this word.
  process.send?.('ready');
  if (!process.argv.includes('--quiet')) printWelcome(config, service);
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigInvalid || (error instanceof Error && error.name.endsWith('Failed'));
  process.stderr.write(
    `\n${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});
