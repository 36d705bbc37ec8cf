import { AppleWalletModule } from '@passwright/apple-wallet';
import { ApplePush, GoogleWallet, Mailer } from '@passwright/core';
import { GoogleWalletModule } from '@passwright/google-wallet';
import { baseUrl, TestApp as PassesTestApp } from '@passwright/passes/testing';
import { RecordingMailer } from '@passwright/testing';
import { PassDistributionModule } from './pass-distribution.module.js';
import { MessagesModule } from './messages.module.js';
import { PassPagesModule } from './pass-pages.module.js';
import { AcceptingPush, ScriptedGoogle } from './scripted-wallets.fixtures.js';

export { baseUrl, TestAccount } from '@passwright/passes/testing';

/** The routes of passes, both wallets and this lib on a real database, with wallet platforms that accept everything. */
export class TestApp extends PassesTestApp {
  readonly push = new AcceptingPush();
  readonly google = new ScriptedGoogle();
  readonly mailer = new RecordingMailer();
  protected override readonly fakes = [
    { provide: ApplePush, useValue: this.push },
    { provide: GoogleWallet, useValue: this.google },
    { provide: Mailer, useValue: this.mailer },
  ];
  protected override readonly modules = [
    AppleWalletModule.forRoot({ baseUrl, passTokenSecret: 's'.repeat(32), packageCacheBytes: 2 ** 20 }),
    GoogleWalletModule.forRoot({ baseUrl }),
    PassPagesModule.forRoot({ baseUrl }),
    MessagesModule.forRoot({}),
    PassDistributionModule.forRoot({ baseUrl, recipientHashSecret: 's'.repeat(32) }),
  ];
}
