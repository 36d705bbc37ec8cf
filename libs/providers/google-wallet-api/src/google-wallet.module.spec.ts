import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ClockModule, GoogleQuota, GoogleWallet } from '@passwright/core';
import { genericObject, GoogleServer, OpenQuota, serviceAccount } from './google.fixtures.js';
import { GoogleWalletApiModule } from './google-wallet.module.js';

const quota = new OpenQuota();
@Global()
@Module({ providers: [{ provide: GoogleQuota, useValue: quota }], exports: [GoogleQuota] })
class SharedQuotaModule {}

it('GoogleWalletApiModule provides a GoogleWallet that uses the quota of another module', async () => {
  const server = await GoogleServer.start();
  const options = { serviceAccount: { kind: 'operator', ...serviceAccount } as const, ...server.urls };
  const module = await Test.createTestingModule({
    imports: [ClockModule, SharedQuotaModule, GoogleWalletApiModule.forRoot(options)],
  }).compile();
  const wallet = module.get(GoogleWallet);
  expect(await wallet.write('a', genericObject, 'background')).toMatchObject({ outcome: 'stored' });
  expect(quota.taken).toHaveLength(1);
  await module.close();
  server.close();
});

it('GoogleWallet creates links but writes nothing with a development service account', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'passwright-google-'));
  const server = await GoogleServer.start();
  const options = { serviceAccount: { kind: 'development', dir } as const, ...server.urls };
  const module = await Test.createTestingModule({
    imports: [ClockModule, GoogleWalletApiModule.forRoot(options)],
  }).compile();
  const wallet = module.get(GoogleWallet);
  expect(await wallet.identity('a')).toMatchObject({ development: true });
  expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'off', status: null });
  expect(await wallet.saveLink('a', {})).toMatch(/^https:\/\/pay\.google\.com\/gp\/v\/save\/ey/);
  expect([server.seen, server.assertions]).toEqual([[], []]);
  await module.close();
  server.close();
  rmSync(dir, { recursive: true });
});
