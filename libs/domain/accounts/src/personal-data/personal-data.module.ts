import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountKeysCron } from './account-keys.cron.js';
import { BackgroundEncryption } from './background-encryption.cron.js';
import { EncryptionKeysListener } from './encryption-keys.listener.js';
import { EncryptionKeysRepository } from './encryption-keys.repository.js';
import { PersonalData } from './personal-data.service.js';

/** Encrypts personal data under keys of each account. */
@Module({
  imports: [DiscoveryModule],
  providers: [PersonalData, AccountKeysCron, BackgroundEncryption, EncryptionKeysRepository, EncryptionKeysListener],
  exports: [PersonalData, BackgroundEncryption],
})
export class PersonalDataModule {}
