import { Module } from '@nestjs/common';
import { AppleCredentials, ApplePush, Clock, rootModule } from '@passwright/core';
import { ApnsPush } from './apns-push.js';
import { ApplePushOptions } from './apple-push.options.js';

/** Binds `ApplePush` to `ApnsPush`. Needs `AppleCredentials` and `Clock`. */
@Module({
  providers: [
    {
      provide: ApplePush,
      inject: [ApplePushOptions, AppleCredentials, Clock],
      useFactory: (options: ApplePushOptions, credentials: AppleCredentials, clock: Clock) =>
        new ApnsPush(options, credentials, clock),
    },
  ],
  exports: [ApplePush],
})
export class ApplePushModule extends rootModule(ApplePushOptions) {}
