import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import { ApplePushModule } from '@passwright/apple-push';
import { ClockModule } from '@passwright/core';
import { OwnDatabaseModule } from '@passwright/database';
import { JobsModule } from '@passwright/jobs';
import { GoogleWalletApiModule } from '@passwright/google-wallet-api';
import { HttpModule } from '@passwright/http';
import { ImagesModule } from '@passwright/images';
import { MailerModule } from '@passwright/mailer';
import { PassDistributionModule, PassPagesModule } from '@passwright/pass-distribution';
import { AppleWalletModule } from '@passwright/apple-wallet';
import { GoogleWalletModule } from '@passwright/google-wallet';
import { PassesModule } from '@passwright/passes';
import { StorageModule } from '@passwright/storage';
import { TemplatesModule } from '@passwright/templates';
import { KeyServiceSignerModule } from './key-service-signer.module.js';
import { migrations } from './migrations.js';
import { connection } from './museum/connection.js';
import { MuseumModule } from './museum/museum.module.js';
import { Settings, SettingsModule } from './settings.js';
import { Venue, Visitor } from './visitor.entity.js';
import { VisitorsController } from './visitors.controller.js';
import { VisitorsService } from './visitors.service.js';

const settings = { imports: [SettingsModule], inject: [Settings] };

@Module({
  imports: [
    ClockModule,
    MuseumModule,
    // The app's own connection, which Passwright uses too.
    connection(migrations),
    OwnDatabaseModule.forRoot({}),
    JobsModule.forRootAsync({ ...settings, useFactory: ({ databaseUrl }: Settings) => ({ url: databaseUrl }) }),
    HttpModule.forRootAsync({
      ...settings,
      useFactory: ({ baseUrl }: Settings) => ({ baseUrl, trustProxy: 0, requestsPerMinute: 600 }),
    }),
    PassesModule.forRootAsync({ ...settings, useFactory: ({ baseUrl }: Settings) => ({ baseUrl }) }),
    AppleWalletModule.forRootAsync({
      ...settings,
      useFactory: ({ baseUrl, passTokenSecret }: Settings) => ({
        baseUrl,
        passTokenSecret,
        packageCacheBytes: 64 * 2 ** 20,
      }),
    }),
    GoogleWalletModule.forRootAsync({ ...settings, useFactory: ({ baseUrl }: Settings) => ({ baseUrl }) }),
    PassPagesModule.forRootAsync({ ...settings, useFactory: ({ baseUrl }: Settings) => ({ baseUrl }) }),
    PassDistributionModule.forRootAsync({
      ...settings,
      useFactory: ({ baseUrl, passTokenSecret }: Settings) => ({ baseUrl, recipientHashSecret: passTokenSecret }),
    }),
    TemplatesModule.forRootAsync({
      ...settings,
      useFactory: ({ baseUrl }: Settings) => ({ baseUrl }),
    }),
    ImagesModule.forRootAsync({
      ...settings,
      useFactory: ({ baseUrl }: Settings) => ({ baseUrl, imageHostsAllowed: [] }),
    }),
    // This app has its own users, so it does not import SelfServiceModule.
    AccountsModule.forRootAsync({
      ...settings,
      useFactory: ({ accessTokenSecret }: Settings) => ({
        accessTokenSecret,
        accessTokenTtlSeconds: 900,
        refreshTokenTtlSeconds: 86_400,
      }),
    }),
    BillingModule.forRoot({ routes: false }),
    KeyServiceSignerModule,
    ApplePushModule.forRoot({ url: null, ca: null }),
    GoogleWalletApiModule.forRootAsync({
      ...settings,
      useFactory: ({ dataDir }: Settings) => ({
        serviceAccount: { kind: 'development' as const, dir: join(dataDir, 'google') },
        ...{ apiUrl: null, tokenUrl: null, saveUrl: null, callbackKeysUrl: null },
      }),
    }),
    StorageModule.forRootAsync({
      ...settings,
      useFactory: ({ dataDir }: Settings) => ({ store: { kind: 'local' as const, dir: join(dataDir, 'blobs') } }),
    }),
    MailerModule.forRootAsync({
      ...settings,
      useFactory: ({ dataDir }: Settings) => ({
        from: 'Museum <passes@museum.example>',
        transport: { kind: 'outbox' as const, dir: join(dataDir, 'outbox') },
      }),
    }),
    TypeOrmModule.forFeature([Visitor, Venue]),
  ],
  controllers: [VisitorsController],
  providers: [VisitorsService],
})
export class AppModule {}
