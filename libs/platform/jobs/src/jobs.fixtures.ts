import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, type INestApplicationContext, Injectable, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BlobStorage } from '@passwright/core';
import type { JobContext } from './job.js';
import { Job } from './job.js';
import { JobHandler } from './job-handler.decorator.js';
import { JobsModule } from './jobs.module.js';
import type { JobsOptions } from './jobs.options.js';
import { SuspectWork } from './suspect-work.js';

type How = 'stay' | 'heed' | 'late' | 'fail' | 'rest' | 'die';

/**
 * A job whose payload says how it behaves: it succeeds, hangs, waits for the abort signal, ends some time after that,
 * fails, pauses, or kills the process.
 */
export class Errand extends Job<{ readonly name: string; readonly how?: How }> {
  static readonly task = 'test.errand';

  constructor(
    name: string,
    how?: How,
    override readonly key?: string,
    override readonly runAt?: Date,
  ) {
    super({ name, how });
  }
}

/** Test jobs that may have crashed their process. The process dies if the list contains the name `deadly`. */
export class SuspectErrands extends SuspectWork {
  static readonly task = 'test.suspects';
}

/** An urgent job in the lane of `Errand`. */
export class UrgentErrand extends Job<Errand['payload']> {
  static readonly task = 'test.urgent';
  static readonly isUrgent = true;
}

/** A job that is attempted at most twice. */
export class Attempt extends Job<{ readonly name: string }> {
  static readonly task = 'test.attempt';
  static readonly lane = 'mails';
  static readonly maxAttempts = 2;
}

/** A test job that waits for a correct clock. Its lane has two slots. */
export class WebhookErrand extends Job<Errand['payload']> {
  static readonly task = 'test.webhook';
  static readonly lane = 'webhooks';
}

/** Runs the test jobs (`Errand`), and records each of them. */
@Injectable()
export class Errands {
  /** The names of the test jobs that have begun, in order. */
  readonly begun: string[] = [];
  /** The names of the test jobs whose signal has aborted. */
  readonly aborted: string[] = [];
  /** Ends the test jobs that are still running after their signal has aborted. */
  endLate: () => void = () => undefined;
  private readonly late = new Promise<void>((resolve) => (this.endLate = resolve));
  private listeners: (() => void)[] = [];

  @JobHandler(Errand)
  async errand({ name, how }: Errand['payload'], { signal }: JobContext): Promise<void> {
    this.tell(this.begun, name);
    if (how === 'fail') throw new Error(`No way to ${name}`);
    if (how === 'die') process.kill(process.pid, 'SIGKILL');
    if (how === 'rest') return pause(100);
    if (!how) return;
    const reported = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await reported;
    this.tell(this.aborted, name);
    if (how === 'stay') await new Promise(() => undefined);
    if (how === 'late') await this.late;
    signal.throwIfAborted();
  }

  @JobHandler(UrgentErrand)
  urgent({ name }: Errand['payload']): Promise<void> {
    this.tell(this.begun, name);
    return Promise.resolve();
  }

  @JobHandler(SuspectErrands)
  async suspects({ ids }: SuspectErrands['payload']): Promise<void> {
    if (ids.includes('deadly')) process.kill(process.pid, 'SIGKILL');
    await pause(100);
    this.tell(this.begun, ids.join());
  }

  @JobHandler(WebhookErrand)
  webhook(payload: WebhookErrand['payload'], context: JobContext): Promise<void> {
    return this.errand(payload, context);
  }

  @JobHandler(Attempt)
  attempt({ name }: Attempt['payload']): Promise<void> {
    this.tell(this.begun, name);
    return Promise.reject(new Error(`No way to ${name}`));
  }

  /** Resolves when the condition holds. Checks it whenever a test job begins or its signal aborts. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        this.listeners = this.listeners.filter((each) => each !== look);
        resolve();
      };
      this.listeners.push(look);
      look();
    });
  }

  private tell(list: string[], name: string): void {
    list.push(name);
    for (const listener of this.listeners) listener();
  }
}

/**
 * Starts an app that the queue treats as a separate process.
 * @param storage stores the note of a stop while the database is unavailable
 */
export async function startApp(
  { storage, ...options }: JobsOptions & { readonly storage?: BlobStorage },
  ...providers: Type[]
): Promise<{ app: INestApplicationContext; errands: Errands }> {
  const module: DynamicModule = {
    module: class App {},
    imports: [...(storage ? [storageModule(storage)] : []), JobsModule.forRoot(options)],
    providers: [Errands, ...providers],
  };
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  return { app, errands: app.get(Errands) };
}

function storageModule(useValue: BlobStorage): DynamicModule {
  const providers = [{ provide: BlobStorage, useValue }];
  return { module: class StorageModule {}, global: true, providers, exports: [BlobStorage] };
}
