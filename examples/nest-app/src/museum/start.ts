import { type Type, VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import { readSettings } from '../settings.js';

/** Starts the app with its settings for all routes. */
export async function start(module: Type): Promise<void> {
  const { port, baseUrl } = readSettings(process.env);
  const app = await NestFactory.create<NestExpressApplication>(module, {
    abortOnError: false,
    logger: ['error', 'warn'],
  });
  app.use(helmet());
  app.set('etag', 'strong');
  app.enableCors({ origin: 'https://museum.example' });
  app.setGlobalPrefix('api', { exclude: ['health'] });
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  const config = new DocumentBuilder().setTitle('Museum').build();
  SwaggerModule.setup('api/docs', app, () => SwaggerModule.createDocument(app, config));
  app.enableShutdownHooks();
  await app.listen(port);
  console.log(`listening on ${baseUrl}`);
}
