import { Module, type DynamicModule } from '@nestjs/common';
import { AccountsModule } from '@passwright/accounts';
import { ClockModule } from '@passwright/core';
import { DatabaseModule, JobsModule } from '@passwright/database';
import { MailerModule } from '@passwright/mailer';
import type { AppConfig } from '../config.js';

/** What the operator's command line works with: no routes, and no jobs run here. */
@Module({})
export class OperatorModule {
  static forRoot(config: AppConfig, url: string): DynamicModule {
    return {
      module: OperatorModule,
      imports: [
        ClockModule,
        DatabaseModule.forRoot({ url, poolSize: 2 }),
        JobsModule.forRoot({ url, run: false }),
        MailerModule.forRoot(config.mailer),
        AccountsModule.forRoot({ ...config.accounts, routes: false }),
      ],
    };
  }
}
