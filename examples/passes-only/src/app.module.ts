import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsModule } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import { ClockModule } from '@passwright/core';
import { DatabaseModule } from '@passwright/database';
import { ImagesModule } from '@passwright/images';
import { JobsModule } from '@passwright/jobs';
import { PassesModule } from '@passwright/passes';
import { StorageModule } from '@passwright/storage';
import { TemplatesModule } from '@passwright/templates';

/** The settings of this app. */
export interface Settings {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The public address of this app, without a trailing slash. */
  readonly baseUrl: string;
  /** A secret of at least 32 characters. It is the same on every node. */
  readonly accessTokenSecret: string;
}

/** Imports only the modules that passes need. */
@Module({})
export class AppModule {
  static forRoot({ databaseUrl, dataDir, baseUrl, accessTokenSecret }: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ClockModule,
        DatabaseModule.forRoot({ url: databaseUrl, poolSize: 10 }),
        JobsModule.forRoot({ url: databaseUrl }),
        StorageModule.forRoot({ store: { kind: 'local', dir: join(dataDir, 'blobs') } }),
        AccountsModule.forRoot({
          accessTokenSecret,
          accessTokenTtlSeconds: 900,
          refreshTokenTtlSeconds: 86_400,
        }),
        BillingModule.forRoot({ routes: false }),
        ImagesModule.forRoot({ baseUrl, imageHostsAllowed: [], routes: false }),
        TemplatesModule.forRoot({ baseUrl, routes: false }),
        PassesModule.forRoot({ baseUrl, routes: false }),
      ],
    };
  }
}
