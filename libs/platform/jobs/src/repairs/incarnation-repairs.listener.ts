import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { IncarnationBeganListener } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { Jobs } from '../jobs.js';
import { IncarnationBegan } from './incarnation.jobs.js';

/** Queues the repairs after the service has detected a restored or promoted database. */
@Injectable()
@Listens(IncarnationBeganListener)
export class IncarnationRepairsListener extends IncarnationBeganListener {
  constructor(private readonly jobs: Jobs) {
    super();
  }

  override incarnationBegan(tx: EntityManager, incarnation: string): Promise<void> {
    return this.jobs.add(tx, new IncarnationBegan({ incarnation }));
  }
}
