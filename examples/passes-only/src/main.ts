import 'reflect-metadata';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { AccountsService } from '@passwright/accounts';
import { Database, migrate } from '@passwright/database';
import { PassesService, toPassResponse } from '@passwright/passes';
import { TemplatesService } from '@passwright/templates';
import { AppModule, type Settings } from './app.module.js';

const templateId = 'friend';
const passId = 'ada';

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  await migrate(settings.databaseUrl);
  const app = await NestFactory.createApplicationContext(AppModule.forRoot(settings), { logger: ['error', 'warn'] });
  const database = app.get(Database);
  const accounts = app.get(AccountsService);
  const { id: accountId } = await database.transaction((tx) => accounts.create(tx, { name: 'Museum' }));

  await app.get(TemplatesService).upsert(accountId, templateId, templateFor(settings.baseUrl), null);
  const passes = app.get(PassesService);
  await passes.create(accountId, templateId, { id: passId, primaryValue: 'Ada Lovelace' });
  const issued = await passes.get({ accountId, templateId, passId });
  console.log(JSON.stringify(toPassResponse(issued)));
  await app.close();
}

function templateFor(baseUrl: string): Parameters<TemplatesService['upsert']>[2] {
  return {
    type: 'membership',
    title: 'Friend of the museum',
    issuerName: 'Museum',
    primaryLabel: 'Friend',
    foregroundColor: '#ffffff',
    backgroundColor: '#1f2a6b',
    // These images exist on every installation. Replace them with your own files, or with any public address.
    icon: `${baseUrl}/images/samples/icon.png`,
    logo: `${baseUrl}/images/samples/logo.png`,
    banner: `${baseUrl}/images/samples/banner.png`,
  };
}

function readSettings(environment: NodeJS.ProcessEnv): Settings {
  return {
    databaseUrl: required(environment, 'DATABASE_URL'),
    accessTokenSecret: required(environment, 'ACCESS_TOKEN_SECRET'),
    dataDir: environment.DATA_DIR ?? join(process.cwd(), 'data'),
    baseUrl: environment.BASE_URL ?? 'http://localhost:4000',
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
