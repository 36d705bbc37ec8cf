import { Module } from '@nestjs/common';
import { AccountServiceAccounts, Clock, GoogleQuota, GoogleWallet, rootModule } from '@passwright/core';
import { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
import { GoogleWalletApiOptions } from './google-wallet.options.js';
import { MemoryQuota } from './memory-quota.js';
import { RestGoogleWallet } from './rest-google-wallet.js';

/**
 * Binds `GoogleWallet`. Accounts write with their own service accounts if a module provides `AccountServiceAccounts`.
 * Several nodes share Google's quota if a module provides `GoogleQuota`. An unusable operator's service account stops
 * the start with everything that is wrong in one message.
 */
@Module({
  providers: [
    {
      provide: GoogleWallet,
      inject: [
        GoogleWalletApiOptions,
        Clock,
        { token: AccountServiceAccounts, optional: true },
        { token: GoogleQuota, optional: true },
      ],
      useFactory: (
        options: GoogleWalletApiOptions,
        clock: Clock,
        accounts?: AccountServiceAccounts,
        quota?: GoogleQuota,
      ) =>
        new RestGoogleWallet(
          options,
          new ResolvedServiceAccounts(options, accounts),
          quota ?? new MemoryQuota(),
          clock,
        ),
    },
  ],
  exports: [GoogleWallet],
})
export class GoogleWalletApiModule extends rootModule(GoogleWalletApiOptions) {}
