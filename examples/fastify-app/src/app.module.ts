import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsModule } from '@passwright/accounts';
import { ApplePushModule } from '@passwright/apple-push';
import { AppleWalletModule } from '@passwright/apple-wallet';
import { BillingModule } from '@passwright/billing';
import { ClockModule } from '@passwright/core';
import { DatabaseModule } from '@passwright/database';
import { ImagesModule } from '@passwright/images';
import { JobsModule } from '@passwright/jobs';
import { PassesModule } from '@passwright/passes';
import { SignerModule } from '@passwright/signer';
import { StorageModule } from '@passwright/storage';
import { TemplatesModule } from '@passwright/templates';
import { MuseumModule } from './museum/museum.module.js';
import { PhonesController } from './phones.controller.js';
import type { Settings } from './settings.js';
import { VisitorsController } from './visitors.controller.js';

/** Imports the services of Passwright without its routes, because the routes need Express. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    const { databaseUrl, dataDir, pushUrl, baseUrl, staffKey, accessTokenSecret, passTokenSecret } = settings;
    return {
      module: AppModule,
      imports: [
        MuseumModule.forRoot({ key: staffKey }),
        ClockModule,
        DatabaseModule.forRoot({ url: databaseUrl, poolSize: 10 }),
        JobsModule.forRoot({ url: databaseUrl }),
        StorageModule.forRoot({ store: { kind: 'local', dir: join(dataDir, 'blobs') } }),
        AccountsModule.forRoot({ accessTokenSecret, accessTokenTtlSeconds: 900, refreshTokenTtlSeconds: 86_400 }),
        BillingModule.forRoot({ routes: false }),
        ImagesModule.forRoot({ baseUrl, imageHostsAllowed: [], routes: false }),
        TemplatesModule.forRoot({ baseUrl, routes: false }),
        PassesModule.forRoot({ baseUrl, routes: false }),
        // For development: creates its own certificate chain. Phones reject passes with such a signature.
        SignerModule.forRoot({ identity: { kind: 'development', dir: join(dataDir, 'chain') } }),
        ApplePushModule.forRoot({ url: pushUrl, ca: null }),
        AppleWalletModule.forRoot({ baseUrl, passTokenSecret, packageCacheBytes: 64 * 2 ** 20, routes: false }),
      ],
      controllers: [VisitorsController, PhonesController],
    };
  }
}
