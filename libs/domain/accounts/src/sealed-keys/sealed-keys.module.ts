import { Module } from '@nestjs/common';
import { rootModule, SecretBox } from '@passwright/core';
import { KeyRotationService } from './key-rotation.service.js';
import { SealedKeys } from './sealed-keys.js';
import { SealedKeysOptions } from './sealed-keys.options.js';
import { SealedSecretsRepository } from './sealed-secrets.repository.js';

/** Keeps the private keys that accounts bring sealed, and brings them under new master keys. Needs `JobsModule`. */
@Module({
  providers: [
    {
      provide: SecretBox,
      inject: [SealedKeysOptions],
      useFactory: ({ masterKeys }: SealedKeysOptions) => new SecretBox(masterKeys),
    },
    ...[SealedKeys, KeyRotationService, SealedSecretsRepository],
  ],
  exports: [SealedKeys],
})
export class SealedKeysModule extends rootModule(SealedKeysOptions) {}
