import { Module } from '@nestjs/common';
import { AccountMembersModule } from '../accounts/account-members.module.js';
import { AccountData } from './account-data.service.js';
import { OwnAccountData } from './own-account-data.service.js';

/** Collects the data of accounts from all libs. */
@Module({
  imports: [AccountMembersModule],
  providers: [AccountData, OwnAccountData],
  exports: [AccountData],
})
export class AccountDataModule {}
