import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PersonalDataModule } from '../personal-data/personal-data.module.js';
import { UserAccountsRepository } from './user-accounts.repository.js';
import { UserCredentialsRepository } from './user-credentials.repository.js';
import { UserEncryption } from './user-encryption.service.js';
import { User } from './user.entity.js';
import { UsersRepository } from './users.repository.js';

/** Stores users and their sign-in data. */
@Module({
  imports: [PersonalDataModule, TypeOrmModule.forFeature([User])],
  providers: [UsersRepository, UserAccountsRepository, UserCredentialsRepository, UserEncryption],
  exports: [UsersRepository, UserAccountsRepository, UserCredentialsRepository, UserEncryption],
})
export class UsersModule {}
