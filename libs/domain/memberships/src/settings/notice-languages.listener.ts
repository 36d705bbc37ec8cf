import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import { type Template, TemplateListener } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { MembershipSettingsChanged } from './settings.jobs.js';

/** Updates the notices on the passes of members after their template got other languages. */
@Injectable()
@Listens(TemplateListener)
export class NoticeLanguagesListener extends TemplateListener {
  constructor(private readonly jobs: Jobs) {
    super();
  }

  /**
   * Adds a job, which does nothing in an account without members. Only membership and generic templates can have passes
   * of members.
   */
  override async languagesChanged(tx: EntityManager, { accountId, type }: Template): Promise<void> {
    if (type !== 'membership' && type !== 'generic') return;
    await this.jobs.add(tx, new MembershipSettingsChanged({ accountId, passes: true }));
  }
}
