import 'reflect-metadata';
import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { migrateJobs } from '@passwright/database';
import { AppModule } from './app.module.js';
import { readSettings } from './settings.js';

async function main(): Promise<void> {
  const { databaseUrl, port, baseUrl } = readSettings(process.env);
  // The job queue's tables have their own migration history.
  await migrateJobs(databaseUrl);
  const app = await NestFactory.create<NestExpressApplication>(AppModule, {
    abortOnError: false,
    logger: ['error', 'warn'],
  });
  app.setGlobalPrefix('api');
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.enableShutdownHooks();
  await app.listen(port);
  console.log(`listening on ${baseUrl}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
