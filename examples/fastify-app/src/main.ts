import 'reflect-metadata';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { migrate } from '@passwright/database';
import { AppModule, type Settings } from './app.module.js';
import { WireErrorFilter } from './wire-error.filter.js';

async function main(): Promise<void> {
  const port = Number(process.env.PORT ?? 4000);
  const settings = readSettings(process.env, port);
  await migrate(settings.databaseUrl);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(settings), new FastifyAdapter(), {
    abortOnError: false,
    logger: ['error', 'warn'],
  });
  app.useGlobalFilters(new WireErrorFilter());
  app.enableShutdownHooks();
  await app.listen(port);
  console.log(`listening on ${settings.baseUrl}`);
}

function readSettings(environment: NodeJS.ProcessEnv, port: number): Settings {
  return {
    databaseUrl: required(environment, 'DATABASE_URL'),
    accessTokenSecret: required(environment, 'ACCESS_TOKEN_SECRET'),
    passTokenSecret: required(environment, 'PASS_TOKEN_SECRET'),
    dataDir: environment.DATA_DIR ?? join(process.cwd(), 'data'),
    pushUrl: environment.PUSH_URL ?? null,
    baseUrl: environment.BASE_URL ?? `http://localhost:${port}`,
  };
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
