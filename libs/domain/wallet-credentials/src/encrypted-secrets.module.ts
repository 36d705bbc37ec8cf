import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EncryptedSecrets, rootModule, SecretBox } from '@passwright/core';
import { EncryptedSecretsOptions } from './encrypted-secrets.options.js';
import { KeyRotationCron } from './encrypted-secrets/key-rotation.cron.js';
import { KeyRotationHandlers } from './encrypted-secrets/key-rotation.handlers.js';
import { KeyRotationService } from './encrypted-secrets/key-rotation.service.js';
import { StoredSecretsRepository } from './encrypted-secrets/stored-secrets.repository.js';

/** Binds `EncryptedSecrets`, and re-encrypts the secrets of all libs under new master keys. Needs `JobsModule`. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: SecretBox,
      inject: [EncryptedSecretsOptions],
      useFactory: ({ masterKeys }: EncryptedSecretsOptions) => new SecretBox(masterKeys),
    },
    { provide: EncryptedSecrets, inject: [SecretBox], useFactory: (box: SecretBox) => new EncryptedSecrets(box) },
    ...[KeyRotationService, KeyRotationCron, KeyRotationHandlers, StoredSecretsRepository],
  ],
  exports: [EncryptedSecrets],
})
export class EncryptedSecretsModule extends rootModule(EncryptedSecretsOptions) {}
