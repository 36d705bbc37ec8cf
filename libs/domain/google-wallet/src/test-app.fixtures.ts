import { GoogleWallet } from '@passwright/core';
import { baseUrl, TestApp as PassesTestApp } from '@passwright/passes/testing';
import { GoogleWalletModule } from './google-wallet.module.js';
import { ScriptedQuietHoursModule } from './quiet-hours.fixtures.js';
import { ScriptedGoogle } from './scripted-google.fixtures.js';

export { TestAccount } from '@passwright/passes/testing';

/** The routes of passes and of this lib on a real database, with a scripted Google Wallet. */
export class TestApp extends PassesTestApp {
  readonly google = new ScriptedGoogle();
  protected override readonly fakes = [{ provide: GoogleWallet, useValue: this.google }];
  protected override readonly modules = [GoogleWalletModule.forRoot({ baseUrl }), { module: ScriptedQuietHoursModule }];
}
