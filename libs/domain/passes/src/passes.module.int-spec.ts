import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { AccountsModule, AccountsService } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import { ApplePush, BlobStorage, ClockModule, GoogleWallet, Mailer, Signer } from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { ImagesModule } from '@passwright/images';
import { JobsModule } from '@passwright/jobs';
import { Template, TemplatesModule } from '@passwright/templates';
import { MemoryStorage, testDatabase } from '@passwright/testing';
import { PassesModule } from './passes.module.js';
import { aTemplate } from './content/pass.fixtures.js';
import { PassesService } from './passes/passes.service.js';

const baseUrl = 'https://passes.example.com';

@Global()
@Module({ providers: [{ provide: BlobStorage, useValue: new MemoryStorage() }], exports: [BlobStorage] })
class MemoryStorageModule {}

let nest: TestingModule;

beforeAll(async () => {
  const { url } = await testDatabase();
  nest = await Test.createTestingModule({
    imports: [
      ClockModule,
      DatabaseModule.forRoot({ url, poolSize: 4 }),
      JobsModule.forRoot({ url }),
      MemoryStorageModule,
      AccountsModule.forRoot({
        accessTokenSecret: 'x'.repeat(32),
        accessTokenTtlSeconds: 900,
        refreshTokenTtlSeconds: 900,
      }),
      BillingModule.forRoot({ routes: false }),
      ImagesModule.forRoot({ baseUrl, imageHostsAllowed: [], routes: false }),
      TemplatesModule.forRoot({ baseUrl, routes: false }),
      PassesModule.forRoot({ baseUrl, routes: false }),
    ],
  }).compile();
  await nest.init();
});
afterAll(() => nest.close());

it('an app without Signer, Mailer, ApplePush and GoogleWallet can issue and read a pass', async () => {
  for (const provider of [Signer, Mailer, ApplePush, GoogleWallet]) {
    expect(() => nest.get<object>(provider, { strict: false })).toThrow('could not find');
  }
  const database = nest.get(Database);
  const { id: accountId } = await database.transaction((tx) =>
    nest.get(AccountsService).create(tx, { name: 'Museum' }),
  );
  const { id: templateId } = aTemplate('generic');
  await database.reads.insert(Template, aTemplate('generic', { accountId }));
  await nest.get(PassesService).create(accountId, templateId, { id: 'ada', primaryValue: 'Ada Lovelace' });

  const { pass } = await nest.get(PassesService).get({ accountId, templateId, passId: 'ada' });
  expect(pass).toMatchObject({ accountId, id: 'ada', primaryValue: 'Ada Lovelace' });
});
