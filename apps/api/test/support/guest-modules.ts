import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { AccountsModule, SelfServiceModule } from '@passwright/accounts';
import { AppleWalletModule } from '@passwright/apple-wallet';
import { BillingModule } from '@passwright/billing';
import { ApplePush, BlobStorage, ClockModule, Mailer } from '@passwright/core';
import { OwnDatabaseModule } from '@passwright/database';
import { GoogleWalletModule } from '@passwright/google-wallet';
import { GoogleWalletApiModule } from '@passwright/google-wallet-api';
import { HttpModule } from '@passwright/http';
import { ImagesModule } from '@passwright/images';
import { JobsModule } from '@passwright/jobs';
import { MembershipsModule } from '@passwright/memberships';
import { MessagesModule, PassDistributionModule, PassPagesModule } from '@passwright/pass-distribution';
import { PassesModule } from '@passwright/passes';
import { SignerModule } from '@passwright/signer';
import { TemplatesModule } from '@passwright/templates';
import { MemoryStorage, RecordingMailer } from '@passwright/testing';
import { EncryptedSecretsModule } from '@passwright/wallet-credentials';
import { WebhooksModule } from '@passwright/webhooks';

const secret = 's'.repeat(32);

/** Returns all modules that have routes, for an app that uses Passwright as a library. */
export function guestModules(
  url: string,
  baseUrl: string,
  dir: string,
  { schema = null, runsJobs = false }: { readonly schema?: string | null; readonly runsJobs?: boolean } = {},
): DynamicModule[] {
  const providers = [
    { provide: BlobStorage, useValue: new MemoryStorage() },
    { provide: Mailer, useValue: new RecordingMailer() },
    { provide: ApplePush, useValue: {} },
  ];
  class Providers {}
  const lifetimes = { accessTokenSecret: secret, accessTokenTtlSeconds: 900, refreshTokenTtlSeconds: 900 };
  return [
    { module: Providers, global: true, providers, exports: providers.map(({ provide }) => provide) },
    { module: ClockModule },
    OwnDatabaseModule.forRoot({ schema }),
    JobsModule.forRoot({ url, run: runsJobs }),
    HttpModule.forRoot({ baseUrl, trustProxy: 0, requestsPerMinute: 600 }),
    AccountsModule.forRoot(lifetimes),
    SelfServiceModule.forRoot({ ...lifetimes, baseUrl, registration: 'open' }),
    BillingModule.forRoot({}),
    EncryptedSecretsModule.forRoot({ masterKeys: [{ id: 'test', key: new Uint8Array(32).fill(7) }] }),
    ImagesModule.forRoot({ baseUrl, imageHostsAllowed: [] }),
    TemplatesModule.forRoot({ baseUrl }),
    PassesModule.forRoot({ baseUrl }),
    SignerModule.forRoot({ identity: { kind: 'development', dir: join(dir, 'chain') } }),
    AppleWalletModule.forRoot({ baseUrl, passTokenSecret: secret, packageCacheBytes: 2 ** 20 }),
    GoogleWalletModule.forRoot({ baseUrl }),
    GoogleWalletApiModule.forRoot({
      serviceAccount: { kind: 'development', dir: join(dir, 'google') },
      ...{ apiUrl: null, tokenUrl: null, saveUrl: null, callbackKeysUrl: null },
    }),
    PassPagesModule.forRoot({ baseUrl }),
    PassDistributionModule.forRoot({ baseUrl, recipientHashSecret: secret }),
    MessagesModule.forRoot({}),
    MembershipsModule.forRoot({ baseUrl }),
    WebhooksModule.forRoot({ baseUrl, hostsAllowed: [] }),
  ];
}
