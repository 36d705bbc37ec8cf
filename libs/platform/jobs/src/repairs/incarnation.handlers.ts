import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Database } from '@passwright/database';
import type { JobContext } from '../job.js';
import { JobHandler } from '../job-handler.decorator.js';
import { Jobs } from '../jobs.js';
import { IncarnationBegan, IncarnationWorkLeft } from './incarnation.jobs.js';
import { IncarnationListener, type IncarnationStep } from './incarnation-listener.js';
import { IncarnationWorkRepository } from './incarnation-work.repository.js';

const sliceMs = 10_000;

/** Runs the repair listeners after a restore or promotion of the database. Only one node runs each step. */
@Injectable()
export class IncarnationHandlers {
  private readonly logger = new Logger('Database');

  constructor(
    private readonly database: Database,
    private readonly repository: IncarnationWorkRepository,
    private readonly jobs: Jobs,
    private readonly discovery: DiscoveryService,
  ) {}

  @JobHandler(IncarnationBegan)
  async began({ incarnation }: IncarnationBegan['payload']): Promise<void> {
    const names = [...this.listeners().keys()];
    await this.database.transaction(async (tx) => {
      await this.repository.begin(tx, incarnation, names);
      await this.jobs.addMany(
        tx,
        names.map((name) => new IncarnationWorkLeft({ incarnation, name })),
      );
    });
  }

  @JobHandler(IncarnationWorkLeft)
  async work(
    { incarnation, name }: IncarnationWorkLeft['payload'],
    { signal }: Pick<JobContext, 'signal'>,
  ): Promise<void> {
    const listener = this.listeners().get(name);
    if (!listener) return;
    const endsAt = performance.now() + sliceMs;
    for (;;) {
      const step = await this.step(incarnation, listener);
      if (step === null) return;
      if (step.next === null) {
        this.logger.log(`After incarnation ${incarnation}, ${name} is done`);
        return;
      }
      const isOver = signal.aborted || performance.now() >= endsAt || step.notBefore !== undefined;
      if (isOver) return this.leaveTheRest(incarnation, name, step.notBefore);
    }
  }

  private step(incarnation: string, listener: IncarnationListener): Promise<IncarnationStep | null> {
    const name = listener.incarnationWork;
    return this.database.transaction(async (tx) => {
      const position = await this.repository.lock(tx, incarnation, name);
      if (position === null) return null;
      const step = await listener.incarnationStep(tx, position);
      await this.repository.save(tx, name, step.next);
      return step;
    });
  }

  private leaveTheRest(incarnation: string, name: string, notBefore?: Date): Promise<void> {
    const left = new IncarnationWorkLeft({ incarnation, name }, notBefore);
    return this.database.transaction((tx) => this.jobs.add(tx, left));
  }

  private listeners(): Map<string, IncarnationListener> {
    const found = this.discovery.getProviders().flatMap(({ instance }) => {
      const provider: unknown = instance;
      return provider instanceof IncarnationListener ? [provider] : [];
    });
    return new Map(found.map((listener) => [listener.incarnationWork, listener]));
  }
}
