import { ApplePush } from '@passwright/core';
import { baseUrl, TestApp as PassesTestApp } from '@passwright/passes/testing';
import { AppleWalletModule } from './apple-wallet.module.js';
import { ScriptedPush } from './scripted-push.fixtures.js';

export { TestAccount } from '@passwright/passes/testing';

/** The routes of passes and of this lib on a real database, with a scripted push service. */
export class TestApp extends PassesTestApp {
  readonly push = new ScriptedPush();
  protected override readonly fakes = [{ provide: ApplePush, useValue: this.push }];
  protected override readonly modules = [
    AppleWalletModule.forRoot({ baseUrl, passTokenSecret: 's'.repeat(32), packageCacheBytes: 2 ** 20 }),
  ];
}
