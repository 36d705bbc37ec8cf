import { Module } from '@nestjs/common';
import { Clock, rootModule, Signer } from '@passwright/core';
import { CmsSigner } from './cms-signer.js';
import { SignerOptions } from './signer.options.js';

/** Binds `Signer` to `CmsSigner`. A certificate that cannot be used stops the start, with everything wrong in one message. */
@Module({
  providers: [
    {
      provide: Signer,
      inject: [SignerOptions, Clock],
      useFactory: (options: SignerOptions, clock: Clock) => CmsSigner.load(options, clock),
    },
  ],
  exports: [Signer],
})
export class SignerModule extends rootModule(SignerOptions) {}
