import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { migrate, startEmbeddedPostgres } from '@passwright/database';
import { applyHttpConventions } from '@passwright/http';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { AppConfig } from './config.js';
import { createLogger, JsonLogger, requestLog } from './logging.js';
import { Metrics } from './metrics/metrics.js';
import { McpTools } from './mcp/mcp-tools.js';
import { ApiDocument } from './api-document.js';
import { openApiDocument } from './openapi.js';

/** A running service. */
export interface Service {
  /** The port it listens on. */
  readonly port: number;
  /** Takes no new requests, lets those in flight end, closes the database. */
  stop(reason: string): Promise<void>;
}

/** The port is taken: says by which setting another is chosen. */
export class ListenFailed extends Error {
  constructor(host: string, port: number, code: string) {
    super(
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use, perhaps by a Passwright that is already running. Choose another: PORT=${port + 1} npm start`
        : `Cannot listen on ${host}:${port} (${code}). Set HOST and PORT to an address of this machine.`,
    );
    this.name = 'ListenFailed';
  }
}

/** The database that DATABASE_URL names cannot be used; says why. */
export class DatabaseFailed extends Error {
  constructor(url: string, { message, code }: NodeJS.ErrnoException) {
    const { host, pathname } = new URL(url);
    super(
      `The database ${pathname.slice(1)} at ${host} cannot be used: ${message || (code ?? 'no answer')}. ` +
        `Check DATABASE_URL, that the server runs, and that the role may create tables in that database.`,
    );
    this.name = 'DatabaseFailed';
  }
}

/** Starts the database if it is the embedded one, migrates, and serves. */
export async function startService(config: AppConfig): Promise<Service> {
  const embedded = config.database.url
    ? null
    : await startEmbeddedPostgres({ dataDir: join(config.dataDir, 'postgres') });
  try {
    const url = config.database.url ?? (embedded?.url as string);
    await migrate(url).catch((error: NodeJS.ErrnoException) => {
      throw embedded ? error : new DatabaseFailed(url, error);
    });
    const app = await createApp(config, url);
    await listen(app, config);
    const address = app.getHttpServer().address();
    const port = typeof address === 'object' && address ? address.port : config.server.port;
    const logger = createLogger(config.logLevel);
    logger.info({ host: config.server.host, port }, 'listening');
    warnOfOutbox(config, logger);
    return {
      port,
      stop: async (reason) => {
        await app.close().finally(() => embedded?.stop());
        createLogger(config.logLevel).info(`stopped: ${reason}`);
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** The app as it is served, before it listens; end-to-end tests start here too. */
export async function createApp(config: AppConfig, databaseUrl: string): Promise<NestExpressApplication> {
  const module = AppModule.forRoot({ ...config, database: { ...config.database, url: databaseUrl } });
  const logger = createLogger(config.logLevel);
  const app = await NestFactory.create<NestExpressApplication>(module, {
    bodyParser: false,
    abortOnError: false,
    logger: new JsonLogger(logger),
  });
  // First, so that also what is refused before any routing has its line.
  app.use(requestLog(logger, app.get(Metrics).requests));
  applyHttpConventions(app);
  const document = app.get(ApiDocument);
  document.learn(() => openApiDocument(app, config.server.baseUrl));
  app.get(McpTools).learn(() => document.get().document);
  return app;
}

async function listen(app: NestExpressApplication, config: AppConfig): Promise<void> {
  const { host, port } = config.server;
  // What fails in here is no fault of the address.
  await app.init();
  // Now, as nobody waits yet.
  app.get(ApiDocument).get();
  try {
    await app.listen(port, host);
  } catch (error) {
    await app.close();
    throw new ListenFailed(host, port, (error as NodeJS.ErrnoException).code ?? 'unknown');
  }
}

/** In production somebody waits for these mails. */
function warnOfOutbox({ production, mailer: { transport } }: AppConfig, logger: Logger): void {
  if (!production || transport.kind !== 'outbox') return;
  logger.warn(`SMTP_URL is not set: e-mails are not sent, but written as files to ${transport.dir}`);
}
