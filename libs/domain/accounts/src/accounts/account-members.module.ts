import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TestAccounts } from '@passwright/core';
import { AuditModule } from '../audit/audit.module.js';
import { PersonalDataModule } from '../personal-data/personal-data.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountAdmins } from './account-admins.repository.js';
import { AccountDeletion } from './account-deletion.entity.js';
import { AccountDeletionRepository } from './account-deletion.repository.js';
import { AccountDirectory } from './account-directory.repository.js';
import { AccountMember } from './account-member.entity.js';
import { AccountMembersRepository } from './account-members.repository.js';
import { AccountMembersService } from './account-members.service.js';
import { Account } from './account.entity.js';
import { AccountsRepository } from './accounts.repository.js';
import { AccountsService } from './accounts.service.js';
import { StoredTestAccounts } from './stored-test-accounts.service.js';

/** Stores accounts and their members. */
@Module({
  imports: [
    DiscoveryModule,
    PersonalDataModule,
    UsersModule,
    AuditModule,
    TypeOrmModule.forFeature([Account, AccountMember, AccountDeletion]),
  ],
  providers: [
    AccountsService,
    AccountsRepository,
    AccountMembersService,
    AccountMembersRepository,
    AccountDirectory,
    AccountAdmins,
    AccountDeletionRepository,
    { provide: TestAccounts, useClass: StoredTestAccounts },
  ],
  exports: [
    AccountsService,
    AccountsRepository,
    AccountMembersService,
    AccountMembersRepository,
    AccountDirectory,
    AccountAdmins,
    AccountDeletionRepository,
    TestAccounts,
  ],
})
export class AccountMembersModule {}
