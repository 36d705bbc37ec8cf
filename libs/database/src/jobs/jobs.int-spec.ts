import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { testDatabase } from '@passwright/testing';
import { quickAddJob } from 'graphile-worker';
import { JobsModule } from './jobs.module.js';
import { Scheduled } from './scheduled.decorator.js';

@Injectable()
class Housekeeping {
  readonly name = 'housekeeping';
  private tell: (name: string) => void = () => undefined;

  /** The name of the instance that runs next. */
  nextRun(): Promise<string> {
    return new Promise((resolve) => (this.tell = resolve));
  }

  @Scheduled({ name: 'test.tidy', crontab: '0 0 1 1 *' })
  tidy(): Promise<void> {
    this.tell(this.name);
    return Promise.resolve();
  }

  untimed(): void {
    this.tell('never');
  }
}

it('runs a scheduled method on its own instance, also when that is provided under two names', async () => {
  const { url } = await testDatabase();
  @Module({
    imports: [JobsModule.forRoot({ url })],
    providers: [Housekeeping, { provide: 'alias', useExisting: Housekeeping }],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  await app.init();
  const ran = app.get(Housekeeping).nextRun();
  await quickAddJob({ connectionString: url }, 'test.tidy', {});
  expect(await ran).toBe('housekeeping');
  await app.close();
});
