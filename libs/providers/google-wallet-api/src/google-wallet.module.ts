import { Module } from '@nestjs/common';
import { AccountServiceAccounts, Clock, GoogleQuota, GoogleWallet, rootModule } from '@passwright/core';
import { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
import { GoogleWalletOptions } from './google-wallet.options.js';
import { MemoryQuota } from './memory-quota.js';
import { RestGoogleWallet } from './rest-google-wallet.js';

/**
 * Binds `GoogleWallet`. Accounts write with their own service accounts when something provides `AccountServiceAccounts`;
 * several nodes keep to Google's quota together when something provides `GoogleQuota`. An operator's service account that
 * cannot be used stops the start, with everything wrong in one message.
 */
@Module({
  providers: [
    {
      provide: GoogleWallet,
      inject: [
        GoogleWalletOptions,
        Clock,
        { token: AccountServiceAccounts, optional: true },
        { token: GoogleQuota, optional: true },
      ],
      useFactory: (
        options: GoogleWalletOptions,
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
export class GoogleWalletModule extends rootModule(GoogleWalletOptions) {}
