import { type DynamicModule, VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { Settings } from '../settings.js';

/** Starts the app with its settings for all routes. */
export async function start(module: DynamicModule, { port, baseUrl }: Settings): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    abortOnError: false,
    logger: ['error', 'warn'],
  });
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (_request, reply, done) => {
      void reply.header('X-Content-Type-Options', 'nosniff');
      done();
    });
  app.enableCors({ origin: 'https://museum.example' });
  app.setGlobalPrefix('api');
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  const config = new DocumentBuilder().setTitle('Museum').build();
  // The browser page of Swagger would need @fastify/static, so serve only the document.
  SwaggerModule.setup('api/docs', app, () => SwaggerModule.createDocument(app, config), { ui: false });
  app.enableShutdownHooks();
  await app.listen(port);
  console.log(`listening on ${baseUrl}`);
}
