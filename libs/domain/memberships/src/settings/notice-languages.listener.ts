import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import { type Template, TemplateListener } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { canHaveMembers } from './member-template.js';
import { MembershipSettingsChanged } from './settings.jobs.js';

/** Updates the notices on the passes of members after the languages of a template have changed. */
@Injectable()
@Listens(TemplateListener)
export class NoticeLanguagesListener extends TemplateListener {
  constructor(private readonly jobs: Jobs) {
    super();
  }

  /**
   * Adds a job that updates the notices. Ignores templates other than membership and generic ones, because members have
   * no passes of other types.
   */
  override async languagesChanged(tx: EntityManager, { accountId, type }: Template): Promise<void> {
    if (!canHaveMembers(type)) return;
    await this.jobs.add(tx, new MembershipSettingsChanged({ accountId, passes: true }));
  }
}
