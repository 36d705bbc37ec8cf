import { setTimeout as pause } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { loggedError } from '@passwright/core';
import { isDatabaseUnavailable } from '@passwright/database';
import type { AppConfig } from './config/config.js';
import { createApp } from './create-app.js';
import { startEmbeddedDatabase } from './embedded-database.js';
import { type DatabaseAddresses, orDatabaseFailed, prepareDatabase } from './prepare-database.js';
import { ListenFailed } from './listen-failed.js';
import { createLogger } from './logging.js';
import { ApiDocumentService } from './openapi/api-document.service.js';
import { stopGracefully } from './graceful-stop.js';
import { WaitingServer } from './health/waiting-server.js';
import type { Tracing } from './tracing/tracing.js';

/** A running service. */
export interface Service {
  /** The port that it listens on. */
  readonly port: number;
  /**
   * Accepts no new requests, waits for those in progress, and closes the database.
   * @param options.isReplaced true if another worker serves the port, so that load balancers need not notice the stop
   */
  stop(reason: string, options?: { readonly isReplaced: boolean }): Promise<void>;
}

/** After this time, the starting service responds with 503 and logs what it waits for. */
const LONG_MS = 1000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

interface StartOptions {
  /**
   * If true, creates the OpenAPI document at the first request, and ignores the document of the build, because the
   * sources may have changed.
   */
  readonly documentOnRequest?: boolean;
  /**
   * If true, responds with 503 while the service waits for its database. False while other workers serve the port.
   * Default: true.
   */
  readonly respondsWhileWaiting?: boolean;
  /** Called with true when the service begins to wait for its database, and with false when it continues to start. */
  readonly waits?: (isWaiting: boolean) => void;
}

/** Starts the embedded database, or waits for the configured one. Then migrates it and serves. */
export async function startService(config: AppConfig, options: StartOptions = {}): Promise<Service> {
  const embedded = await startEmbeddedDatabase(config);
  let tracing: Tracing | null = null;
  try {
    const logger = createLogger(config);
    const url = config.database.url ?? (embedded?.url as string);
    const addresses = { url, directUrl: config.database.directUrl ?? url };
    // The SDK is loaded only when tracing is on.
    if (config.tracing) tracing = (await import('./tracing/tracing.js')).startTracing(config.tracing, logger);
    const app = await startApp(config, addresses, { mayWait: embedded === null, ...options });
    const address = app.getHttpServer().address();
    const port = typeof address === 'object' && address ? address.port : config.server.port;
    logger.info({ host: config.server.host, port }, 'listening');
    embedded?.releaseSignals();
    return {
      port,
      stop: async (reason, { isReplaced } = { isReplaced: false }) => {
        const delayMs = config.server.shutdownDelayMs;
        await stopGracefully(app, { delayMs, isReplaced }).finally(() => embedded?.stop());
        await tracing?.stop();
        logger.info(`stopped: ${reason}`);
      },
    };
  } catch (error) {
    await tracing?.stop();
    await embedded?.stop();
    throw error;
  }
}

/**
 * Migrates and starts the app. While the database is unavailable, responds with 503 and tries again.
 * @throws DatabaseFailed, PoolerFailed
 */
async function startApp(
  config: AppConfig,
  addresses: DatabaseAddresses,
  { mayWait, documentOnRequest, respondsWhileWaiting = true, waits }: StartOptions & { mayWait: boolean },
): Promise<NestExpressApplication> {
  const logger = createLogger(config);
  const waiting = new WaitingServer(config.server);
  const wait = async (reason: string) => {
    logger.warn(`The service waits for its database: ${reason}`);
    waits?.(true);
    if (!respondsWhileWaiting) return;
    await waiting.open().catch((failure: Error) => {
      throw new ListenFailed(config, failure);
    });
  };
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await unlessLong((begins) => prepareDatabase(config.database, addresses, begins), wait);
        waits?.(false);
        const initialised = initialisedApp(config, addresses.url);
        // The app connects to both addresses.
        const names = config.database.pooled ? 'DATABASE_URL and DATABASE_DIRECT_URL' : 'DATABASE_URL';
        const app = await (mayWait ? orDatabaseFailed(names, addresses.url, initialised) : initialised);
        // Create the document before the app listens, so that no request waits for it.
        if (!documentOnRequest && config.role !== 'worker') app.get(ApiDocumentService).prepare(config.server.baseUrl);
        await waiting.close();
        await listen(app, config);
        return app;
      } catch (error) {
        if (!mayWait || !isDatabaseUnavailable(error)) throw error;
        await wait(loggedError(error).message || 'no response');
        await pause(pauseMs);
      }
    }
  } finally {
    await waiting.close();
  }
}

/**
 * Calls `wait` with each step of `work` that takes longer than a second. @throws the first error of `work` or `wait`
 */
async function unlessLong(
  work: (begins: (step: string) => void) => Promise<void>,
  wait: (step: string) => Promise<void>,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  const begins = (step: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => void wait(`it ${step}`).catch(fail), LONG_MS);
  };
  await Promise.race([work(begins).finally(() => clearTimeout(timer)), failed]);
}

async function initialisedApp(config: AppConfig, url: string): Promise<NestExpressApplication> {
  const app = await createApp(config, url);
  try {
    await app.init();
    return app;
  } catch (error) {
    await app.close().catch(() => undefined);
    throw error;
  }
}

async function listen(app: NestExpressApplication, config: AppConfig): Promise<void> {
  try {
    await app.listen(config.server.port, config.server.host);
  } catch (error) {
    await app.close();
    throw new ListenFailed(config, error as Error);
  }
}
