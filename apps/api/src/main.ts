import { stopSignals } from './stop-signals.js';
import 'reflect-metadata';
import cluster from 'node:cluster';
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { primaryLink } from './cluster/primary-link.js';
import { workerLimits } from './cluster/worker-limits.js';
import { type AppConfig, loadConfig } from './config/config.js';
import { ConfigInvalid } from './config/config-validation.js';
import { describeUnknown, unknownVariables } from './config/variables/unknown-variables.js';
import { requireFreePort } from './listen-failed.js';
import { createLogger, logConsole } from './logging.js';
import { announce } from './welcome.js';

async function main(): Promise<void> {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  const environment = { ...file, ...process.env };
  const config = loadConfig(environment);
  // `npm start` passes this argument before it builds, to report a wrong configuration or a used port immediately.
  if (process.argv.includes('--check')) return requireFreePort(config);
  // Signing runs on libuv's thread pool, whose size must be set before its first use.
  process.env.UV_THREADPOOL_SIZE ??= String(config.threads);
  const quiet = process.argv.includes('--quiet');
  if (!cluster.isWorker && !quiet) {
    const logger = createLogger(config);
    for (const variable of unknownVariables(environment)) logger.warn(describeUnknown(variable));
  }
  if (cluster.isWorker || config.workers === 1) return serve(config, quiet);
  // The primary does not copy `.env` into its environment, so that restarted workers read the changed file.
  const { runPrimary } = await import('./cluster/primary.js');
  await runPrimary({
    count: config.workers,
    limits: workerLimits(process.argv, config.server),
    logger: createLogger(config),
    announce: (port) => announce(config, port, quiet),
  });
}

/** Serves in this process, alone or as a worker of a primary. */
async function serve(config: AppConfig, quiet: boolean): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  // Exit when `npm start` ends, because no other process could stop this one afterwards.
  let orphaned: () => void = () => process.exit(1);
  if (!primaryLink) process.once('disconnect', () => orphaned());
  logConsole(createLogger(config));
  // Load this late, so that an invalid configuration is reported without delay.
  const { startService } = await import('./start-service.js');
  const service = await startService(config, {
    documentOnRequest: process.argv.includes('--document-on-request'),
    // Only the first worker responds while it waits for the database, because the others start later.
    respondsWhileWaiting: primaryLink === null || cluster.worker?.id === 1,
    waits: (isWaiting) => primaryLink?.waits(isWaiting),
  });
  let stopping = false;
  const stop = (reason: string, options = { isReplaced: false }) => {
    if (stopping) return;
    stopping = true;
    void service
      .stop(reason, options)
      .then(() => primaryLink?.leave())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  let signals = 0;
  for (const signal of stopSignals) {
    // A second signal ends the process immediately. A stop by the primary does not count, because a terminal or a
    // service manager also sends its signal to the workers.
    process.on(signal, () => ((signals += 1) > 1 ? process.exit(1) : stop(signal)));
  }
  if (primaryLink) return primaryLink.ready(service.port, stop);
  orphaned = () => stop('the process that started it has ended');
  // A process manager waits for this message.
  process.send?.('ready');
  announce(config, service.port, quiet);
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigInvalid || (error instanceof Error && error.name.endsWith('Failed'));
  process.stderr.write(
    `\n${known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});
