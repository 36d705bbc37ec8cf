import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { loadConfig } from './config/config.js';

/** Creates the app without providers and database, to describe its routes. */
export function describedApp(): Promise<INestApplication> {
  const config = loadConfig({}, { readOnly: true });
  const module = AppModule.forRoot({ ...config, database: { ...config.database, url: '', directUrl: '' } });
  return NestFactory.create(module, { preview: true, logger: false, abortOnError: false });
}
