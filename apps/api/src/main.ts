import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { ConfigInvalid, loadConfig } from './config/config.js';
import { THREADS } from './config/thread-pool.js';
import { printWelcome } from './welcome.js';

// Signing runs on libuv's thread pool, one core per thread. Its size must be set before its first use.
process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
if (existsSync('.env')) process.loadEnvFile('.env');

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  // Load this only now, so that an invalid configuration is reported at once.
  const { startService } = await import('./service.js');
  const service = await startService(config, { documentOnRequest: process.argv.includes('--document-on-request') });
  const stop = (reason: string) => {
    // A second signal ends the process at once.
    for (const other of ['SIGINT', 'SIGTERM'] as const) process.once(other, () => process.exit(1));
    void service.stop(reason).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // If `npm start` started this process, no other process could stop it after `npm start` has ended.
  process.once('disconnect', () => stop('the process that started it has ended'));
  // A process manager waits for this message.
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
