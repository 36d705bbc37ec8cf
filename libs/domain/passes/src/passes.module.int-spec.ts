import { type ExecutionContext, Global, type INestApplication, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { AccountsModule, AccountsService } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import {
  ApplePush,
  type AuthenticatedRequest,
  BlobStorage,
  ClockModule,
  GoogleWallet,
  Mailer,
  scopes,
  Signer,
} from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { HttpModule } from '@passwright/http';
import { ImagesModule } from '@passwright/images';
import { JobsModule } from '@passwright/jobs';
import { Template, TemplatesModule } from '@passwright/templates';
import { MemoryStorage, testDatabase } from '@passwright/testing';
import request from 'supertest';
import { PassesModule } from './passes.module.js';
import { aTemplate } from './content/pass.fixtures.js';
import { PassesService } from './passes/passes.service.js';

const baseUrl = 'https://passes.example.com';

@Global()
@Module({ providers: [{ provide: BlobStorage, useValue: new MemoryStorage() }], exports: [BlobStorage] })
class MemoryStorageModule {}

let nest: INestApplication;
let accountId: string;
const { id: templateId } = aTemplate('generic');

/** Admits every request as an API key of the account. */
const keyOfAccount = {
  canActivate(context: ExecutionContext): boolean {
    const principal = { kind: 'apiKey' as const, id: 'key', accountId, scopes };
    return Boolean(Object.assign(context.switchToHttp().getRequest<AuthenticatedRequest>(), { principal }));
  },
};

beforeAll(async () => {
  const { url } = await testDatabase();
  const module = await Test.createTestingModule({
    imports: [
      ClockModule,
      DatabaseModule.forRoot({ url, poolSize: 4 }),
      JobsModule.forRoot({ url }),
      MemoryStorageModule,
      HttpModule.forRoot({ baseUrl, trustProxy: 0, requestsPerMinute: 0 }),
      AccountsModule.forRoot({
        accessTokenSecret: 'x'.repeat(32),
        accessTokenTtlSeconds: 900,
        refreshTokenTtlSeconds: 900,
      }),
      BillingModule.forRoot({}),
      ImagesModule.forRoot({ baseUrl, imageHostsAllowed: [] }),
      TemplatesModule.forRoot({ baseUrl }),
      PassesModule.forRoot({ baseUrl }),
    ],
    providers: [{ provide: APP_GUARD, useValue: keyOfAccount }],
  }).compile();
  nest = module.createNestApplication();
  await nest.init();
  const database = nest.get(Database);
  const accounts = nest.get(AccountsService);
  ({ id: accountId } = await database.transaction((tx) => accounts.create(tx, { name: 'Museum' })));
  await database.reads.insert(Template, aTemplate('generic', { accountId }));
});
afterAll(() => nest.close());

it('an app without Signer, Mailer, ApplePush and GoogleWallet can issue and read a pass', async () => {
  for (const provider of [Signer, Mailer, ApplePush, GoogleWallet]) {
    expect(() => nest.get<object>(provider, { strict: false })).toThrow('could not find');
  }
  await nest.get(PassesService).create(accountId, templateId, { id: 'ada', primaryValue: 'Ada Lovelace' });

  const { pass } = await nest.get(PassesService).get({ accountId, templateId, passId: 'ada' });
  expect(pass).toMatchObject({ accountId, id: 'ada', primaryValue: 'Ada Lovelace' });
});

it('the routes of an app without Signer issue and return a pass, and report no development signing', async () => {
  const path = `/v1/pass/${templateId}`;
  const issued = await request(nest.getHttpServer()).post(path).send({ id: 'grace', primaryValue: 'Grace Hopper' });
  expect(issued).toMatchObject({ status: 201, body: { pass: { id: 'grace', primaryValue: 'Grace Hopper' } } });
  const read = await request(nest.getHttpServer()).get(`${path}/grace`);
  expect(read).toMatchObject({ status: 200, body: issued.body });
  expect(read.headers).not.toHaveProperty('passwright-signing');
});
