import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { AppleCredentials, Clock, Signer } from '@passwright/core';
import { loadDevelopmentChain, RemoteKeySigner, ResolvedCredentials } from '@passwright/signer';
import { KeyService } from './key-service.js';
import { Settings, SettingsModule } from './settings.js';

/** Replaces `SignerModule`. The key service signs passes. Pushes use a second certificate. */
@Global()
@Module({
  imports: [SettingsModule],
  providers: [
    {
      provide: Signer,
      inject: [Settings, Clock],
      useFactory: async ({ dataDir }: Settings, clock: Clock): Promise<Signer> => {
        // For this example. In production, use Apple's certificate for the key in the key service, and WWDR G4.
        const dir = join(dataDir, 'signing-chain');
        const { certificatePem, intermediatePem } = await loadDevelopmentChain(
          { kind: 'development', dir },
          clock.now(),
        );
        const keyService = await KeyService.open(join(dir, 'pass.key'));
        return new RemoteKeySigner(
          { certificatePem, intermediatePem, sign: (digest) => keyService.sign(digest) },
          clock,
        );
      },
    },
    {
      // TLS to the push service needs a key in this process, so it uses a second certificate of the same pass type.
      provide: AppleCredentials,
      inject: [Settings, Clock],
      useFactory: ({ dataDir }: Settings, clock: Clock): Promise<AppleCredentials> =>
        ResolvedCredentials.load({ identity: { kind: 'development', dir: join(dataDir, 'push-chain') } }, clock),
    },
  ],
  exports: [Signer, AppleCredentials],
})
export class KeyServiceSignerModule {}
