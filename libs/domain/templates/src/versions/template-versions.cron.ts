import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { TemplateVersionsRepository } from './template-versions.repository.js';

/** How long earlier fronts are stored. Messages about a change need them, and are sent within a week. */
const STORED_MS = 7 * 24 * 60 * 60 * 1000;

/** Deletes earlier fronts of templates after a week. */
@Injectable()
export class TemplateVersionsCron {
  constructor(
    private readonly versions: TemplateVersionsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'template-versions.delete-old', crontab: '23 4 * * *' })
  run(): Promise<void> {
    return this.versions.deleteOld(new Date(this.clock.now().getTime() - STORED_MS));
  }
}
