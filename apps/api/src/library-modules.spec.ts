import * as accounts from '@passwright/accounts';
import * as applePush from '@passwright/apple-push';
import * as billing from '@passwright/billing';
import * as database from '@passwright/database';
import * as appleWallet from '@passwright/apple-wallet';
import * as googleWallet from '@passwright/google-wallet';
import * as googleWalletApi from '@passwright/google-wallet-api';
import * as http from '@passwright/http';
import * as images from '@passwright/images';
import * as jobs from '@passwright/jobs';
import * as mailer from '@passwright/mailer';
import * as memberships from '@passwright/memberships';
import * as passDistribution from '@passwright/pass-distribution';
import * as passes from '@passwright/passes';
import * as payments from '@passwright/payments';
import * as signer from '@passwright/signer';
import * as storage from '@passwright/storage';
import * as templates from '@passwright/templates';
import * as walletCredentials from '@passwright/wallet-credentials';
import * as webhooks from '@passwright/webhooks';

const libraries = {
  ...{
    accounts,
    applePush,
    appleWallet,
    billing,
    database,
    googleWallet,
    googleWalletApi,
    http,
    images,
    jobs,
    mailer,
    memberships,
  },
  ...{ passDistribution, passes, payments, signer, storage, templates, walletCredentials, webhooks },
};

interface RootModule {
  forRoot(options: object): unknown;
  forRootAsync(options: object): unknown;
}

const modules = Object.values(libraries)
  .flatMap((library) => Object.entries(library))
  // The database clock has no options.
  .filter(([name]) => name.endsWith('Module') && name !== 'DatabaseClockModule') as [string, RootModule][];

it('every library with options has a module', () => {
  expect(modules.length).toBeGreaterThanOrEqual(Object.keys(libraries).length);
});

it.each(modules)('%s can be set up by forRoot, and by forRootAsync with injected options', (_, module) => {
  const options = { key: 'value' };
  expect(module.forRoot(options)).toMatchObject({
    module,
    global: true,
    providers: [{ provide: expect.any(Function), useValue: options }],
  });
  const useFactory = () => options;
  expect(module.forRootAsync({ inject: [Date], useFactory })).toMatchObject({
    module,
    global: true,
    providers: [{ provide: expect.any(Function), inject: [Date], useFactory }],
  });
});
