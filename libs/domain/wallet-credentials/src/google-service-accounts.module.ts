import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountServiceAccounts, rootModule } from '@passwright/core';
import { ServiceAccountsCache } from './google-service-accounts/service-accounts-cache.js';
import { GoogleServiceAccountsDataService } from './google-service-accounts/google-service-accounts-data.service.js';
import { IssuerUseService } from './google-service-accounts/issuer-use.service.js';
import { ServiceAccountChangesService } from './google-service-accounts/service-account-changes.service.js';
import { ServiceAccountSecretsListener } from './google-service-accounts/service-account-secrets.listener.js';
import { GoogleServiceAccountsController } from './google-service-accounts/google-service-accounts.controller.js';
import { GoogleServiceAccountsOptions } from './google-service-accounts.options.js';
import { GoogleServiceAccountsRepository } from './google-service-accounts/google-service-accounts.repository.js';
import { GoogleServiceAccountsService } from './google-service-accounts/google-service-accounts.service.js';
import { IssuerOverviewService } from './google-service-accounts/issuer-overview.service.js';
import { StoredServiceAccount } from './google-service-accounts/stored-service-account.entity.js';

/**
 * Stores the accounts' own Google Wallet issuers and their service accounts, with encrypted keys. Binds
 * `AccountServiceAccounts` for the gateway. Needs `EncryptedSecretsModule`, `JobsModule`, `GoogleWallet`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([StoredServiceAccount])],
  providers: [
    ...[GoogleServiceAccountsService, GoogleServiceAccountsRepository, IssuerOverviewService, ServiceAccountsCache],
    ...[IssuerUseService, ServiceAccountChangesService],
    ...[ServiceAccountSecretsListener, GoogleServiceAccountsDataService],
    { provide: AccountServiceAccounts, useExisting: ServiceAccountsCache },
  ],
  exports: [AccountServiceAccounts, GoogleServiceAccountsService, IssuerOverviewService],
})
export class GoogleServiceAccountsModule extends rootModule(GoogleServiceAccountsOptions, [
  GoogleServiceAccountsController,
]) {}
