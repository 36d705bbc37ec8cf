import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsModule, OidcModule, SelfServiceModule } from '@passwright/accounts';
import { BillingModule, PaymentEventsModule } from '@passwright/billing';
import {
  AppleCertificatesModule,
  GoogleServiceAccountsModule,
  EncryptedSecretsModule,
} from '@passwright/wallet-credentials';
import { ApplePushModule } from '@passwright/apple-push';
import { DatabaseClockModule, DatabaseModule, IncarnationModule } from '@passwright/database';
import { JobsModule, RepairsModule } from '@passwright/jobs';
import { GoogleWalletApiModule } from '@passwright/google-wallet-api';
import { HttpModule } from '@passwright/http';
import { ImagesModule } from '@passwright/images';
import { MailerModule } from '@passwright/mailer';
import { MembershipsModule } from '@passwright/memberships';
import { MessagesModule, PassDistributionModule, PassPagesModule } from '@passwright/pass-distribution';
import { AppleWalletModule } from '@passwright/apple-wallet';
import { GoogleWalletModule } from '@passwright/google-wallet';
import { PassesModule } from '@passwright/passes';
import { PaymentsModule } from '@passwright/payments';
import { SignerModule } from '@passwright/signer';
import { StorageModule } from '@passwright/storage';
import { TemplatesModule } from '@passwright/templates';
import { WebhooksModule } from '@passwright/webhooks';
import type { AppConfig } from './config/config.js';
import { nodeSettings } from './config/node-settings.js';
import { HealthController } from './health/health.controller.js';
import { ProbePace } from './health/probe.js';
import { GuidesController } from './guides/guides.controller.js';
import { GuidesService } from './guides/guides.service.js';
import { ReadinessService } from './health/readiness.service.js';
import { McpModule } from './mcp/mcp.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { ApiDocumentController } from './openapi/api-document.controller.js';
import { ApiDocumentService } from './openapi/api-document.service.js';
import { errorHelpUrl } from './pages/page.js';
import { PageErrorFilter } from './pages/page-error.filter.js';
import { StartController } from './start/start.controller.js';
import { DocsController, DocsFiles } from './swagger-ui/docs.controller.js';
import { WorkbenchController, WorkbenchFiles } from './workbench/workbench.controller.js';

type RunningConfig = AppConfig & { readonly database: { readonly url: string; readonly directUrl: string } };

/** Composes the app and configures every package. */
@Module({})
export class AppModule {
  static forRoot(config: RunningConfig): DynamicModule {
    return {
      module: AppModule,
      imports: packages(config),
      controllers: [
        HealthController,
        ApiDocumentController,
        DocsController,
        GuidesController,
        WorkbenchController,
        StartController,
      ],
      providers: [ApiDocumentService, DocsFiles, GuidesService, ProbePace, ReadinessService, WorkbenchFiles],
    };
  }
}

/** Sets up each package with its part of the configuration. */
function packages(config: RunningConfig): NonNullable<DynamicModule['imports']> {
  return [
    DatabaseModule.forRoot(config.database),
    DatabaseClockModule,
    JobsModule.forRoot({ ...config.jobs, url: config.database.directUrl }),
    HttpModule.forRoot({
      ...config.http,
      errorFilter: new PageErrorFilter(config.server.baseUrl),
      errorHelpUrl: errorHelpUrl(config.server.baseUrl),
    }),
    // Register the routes that phones and holders call first, because Express tries routes in order.
    AppleWalletModule.forRoot(config.appleWallet),
    PassPagesModule.forRoot(config.passPages),
    GoogleWalletModule.forRoot(config.googleWallet),
    PassDistributionModule.forRoot(config.passDistribution),
    MessagesModule.forRoot({}),
    PassesModule.forRoot(config.passes),
    ...providers(config),
    IncarnationModule.forRoot({ ...config.incarnation, settings: nodeSettings(config) }),
    RepairsModule.forRoot({}),
    AccountsModule.forRoot(config.accounts),
    SelfServiceModule.forRoot(config.selfService),
    BillingModule.forRoot({}),
    OidcModule.forRoot(config.oidc),
    EncryptedSecretsModule.forRoot(config.encryptedSecrets),
    AppleCertificatesModule.forRoot(config.appleCertificates),
    GoogleServiceAccountsModule.forRoot({}),
    TemplatesModule.forRoot(config.templates),
    ImagesModule.forRoot(config.images),
    MembershipsModule.forRoot(config.memberships),
    WebhooksModule.forRoot(config.webhooks),
    PaymentEventsModule.forRoot({}),
    McpModule.forRoot(config.mcp),
    MetricsModule.forRoot(config.metrics),
  ];
}

function providers(config: RunningConfig): NonNullable<DynamicModule['imports']> {
  return [
    SignerModule.forRoot(config.signer),
    ApplePushModule.forRoot(config.applePush),
    GoogleWalletApiModule.forRoot(config.googleWalletApi),
    StorageModule.forRoot(config.storage),
    MailerModule.forRoot(config.mailer),
    PaymentsModule.forRoot(config.payments),
  ];
}
