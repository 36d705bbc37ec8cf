import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsModule, SelfServiceModule } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import { DatabaseClockModule, DatabaseModule, IncarnationModule } from '@passwright/database';
import { JobsModule, RepairsModule } from '@passwright/jobs';
import { MailerModule } from '@passwright/mailer';
import { PassUsageListener } from '@passwright/passes';
import { StorageModule } from '@passwright/storage';
import { TemplateUsageListener } from '@passwright/templates';
import type { AppConfig } from '../config/config.js';

/** Provides the services for the operator's command line, without routes and without running jobs. */
@Module({})
export class OperatorModule {
  static forRoot(config: AppConfig, url: string): DynamicModule {
    return {
      module: OperatorModule,
      imports: [
        DatabaseModule.forRoot({ url, poolSize: 2, schema: config.database.schema }),
        DatabaseClockModule,
        JobsModule.forRoot({ url, run: false }),
        StorageModule.forRoot(config.storage),
        IncarnationModule.forRoot({ watch: false }),
        RepairsModule.forRoot({}),
        MailerModule.forRoot(config.mailer),
        AccountsModule.forRoot(config.accounts),
        SelfServiceModule.forRoot({ ...config.selfService, routes: false }),
        BillingModule.forRoot({ routes: false }),
      ],
      // These listeners report the usage of libs that this module does not set up.
      providers: [TemplateUsageListener, PassUsageListener],
    };
  }
}
