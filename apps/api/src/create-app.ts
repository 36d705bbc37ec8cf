import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { applyHttpConventions } from '@passwright/http';
import { AppAdapter } from './app-adapter.js';
import { AppModule } from './app.module.js';
import type { AppConfig } from './config/config.js';
import { rejectOnWorker } from './health/worker-role.js';
import { createLogger, JsonLogger, logsText, requestLog } from './logging.js';
import { McpToolsService } from './mcp/mcp-tools.service.js';
import { MetricsService } from './metrics/metrics.service.js';
import { ApiDocumentService } from './openapi/api-document.service.js';
import { documentTexts } from './openapi/document-texts.js';
import { openApiDocument } from './openapi/openapi.js';
import { enterTrace, traceRequests } from './tracing/trace-requests.js';

/** Creates the complete app, which does not listen yet. End-to-end tests use it too. */
export async function createApp(config: AppConfig, databaseUrl: string): Promise<NestExpressApplication> {
  const directUrl = config.database.directUrl ?? databaseUrl;
  const module = AppModule.forRoot({ ...config, database: { ...config.database, url: databaseUrl, directUrl } });
  const logger = createLogger(config);
  const app = await NestFactory.create<NestExpressApplication>(module, new AppAdapter(), {
    bodyParser: false,
    abortOnError: false,
    logger: new JsonLogger(logger),
  });
  // Trace and log first, so that requests that are rejected early are included.
  if (config.tracing) app.use(traceRequests);
  app.use(requestLog(logger, app.get(MetricsService).requests, logsText(config)));
  applyHttpConventions(app);
  if (config.tracing) app.use(enterTrace);
  if (config.role === 'worker') app.use(rejectOnWorker);
  const document = app.get(ApiDocumentService);
  document.learn(() => documentTexts(openApiDocument(app, config.server.baseUrl)));
  app.get(McpToolsService).learn(() => document.get().document);
  return app;
}
