import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { migrateJobs } from '@passwright/database';
import { applyHttpConventions } from '@passwright/http';
import { AppModule } from './app.module.js';
import { readSettings } from './settings.js';

async function main(): Promise<void> {
  const { databaseUrl, port, baseUrl } = readSettings(process.env);
  // The job queue's tables have their own migration history.
  await migrateJobs(databaseUrl);
  const app = await NestFactory.create<NestExpressApplication>(AppModule, {
    bodyParser: false,
    abortOnError: false,
    logger: ['error', 'warn'],
  });
  applyHttpConventions(app);
  app.enableShutdownHooks();
  await app.listen(port);
  console.log(`listening on ${baseUrl}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
