import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountServiceAccounts, rootModule } from '@passwright/core';
import { CachedServiceAccounts } from './cached-service-accounts.js';
import { GoogleServiceAccountsController } from './google-service-accounts.controller.js';
import { GoogleServiceAccountsOptions } from './google-service-accounts.options.js';
import { GoogleServiceAccountsRepository } from './google-service-accounts.repository.js';
import { GoogleServiceAccountsService } from './google-service-accounts.service.js';
import { IssuerOverviewService } from './issuer-overview.service.js';
import { StoredServiceAccount } from './stored-service-account.entity.js';

/**
 * The Google Wallet issuers that accounts bring themselves, with their service accounts, whose keys are sealed. Binds
 * `AccountServiceAccounts`, which the gateway asks. Needs `SealedKeysModule`, `JobsModule`, `GoogleWallet`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([StoredServiceAccount])],
  providers: [
    ...[GoogleServiceAccountsService, GoogleServiceAccountsRepository, IssuerOverviewService, CachedServiceAccounts],
    { provide: AccountServiceAccounts, useExisting: CachedServiceAccounts },
  ],
  exports: [AccountServiceAccounts, GoogleServiceAccountsService, IssuerOverviewService],
})
export class GoogleServiceAccountsModule extends rootModule(GoogleServiceAccountsOptions, [
  GoogleServiceAccountsController,
]) {}
