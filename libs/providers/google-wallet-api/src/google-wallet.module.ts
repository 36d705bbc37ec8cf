import { Module } from '@nestjs/common';
import { AccountServiceAccounts, Clock, GoogleQuota, GoogleWallet, rootModule, TestAccounts } from '@passwright/core';
import { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
import { GoogleWalletApiOptions } from './google-wallet.options.js';
import { MemoryQuota } from './memory-quota.js';
import { RestGoogleWallet } from './rest-google-wallet.js';

/**
 * Binds `GoogleWallet`. Accounts write with their own service accounts if a module provides `AccountServiceAccounts`.
 * Several nodes share Google's quota if a module provides `GoogleQuota`. If the operator's service account is unusable,
 * the app does not start, and one message lists everything that is wrong.
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
        { token: TestAccounts, optional: true },
      ],
      useFactory: (
        options: GoogleWalletApiOptions,
        clock: Clock,
        accounts?: AccountServiceAccounts,
        quota?: GoogleQuota,
        testAccounts?: TestAccounts,
      ) =>
        new RestGoogleWallet(
          options,
          new ResolvedServiceAccounts(options, accounts, testAccounts),
          quota ?? new MemoryQuota(),
          clock,
        ),
    },
  ],
  exports: [GoogleWallet],
})
export class GoogleWalletApiModule extends rootModule(GoogleWalletApiOptions) {}
