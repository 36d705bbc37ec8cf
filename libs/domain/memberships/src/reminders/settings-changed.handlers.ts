import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import { shareTemplates } from '@passwright/templates';
import { MemberPassesService } from '../members/member-passes.service.js';
import { MembershipSettingsChanged } from '../settings/settings.jobs.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { doneUntil, nextDue } from '../members/reminder-schedule.js';
import { DueMembersRepository, type MemberKey } from './due-members.repository.js';
import { MembersLeftToFollow } from './reminders.jobs.js';

const sliceMs = 10_000;
const pageSize = 50;

/** Updates the due times of members and the notices on their passes after a change of settings. */
@Injectable()
export class SettingsChangedHandlers {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsRepository,
    private readonly members: DueMembersRepository,
    private readonly passes: MemberPassesService,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @JobHandler(MembershipSettingsChanged)
  settingsChanged(payload: MembershipSettingsChanged['payload'], context: JobContext): Promise<void> {
    return this.follow({ ...payload, afterId: 0 }, context);
  }

  /**
   * Updates members in batches, each in its own transaction. Stops after a time slice and adds another job, so that
   * other jobs are not delayed.
   */
  @JobHandler(MembersLeftToFollow)
  async follow(payload: MembersLeftToFollow['payload'], { signal }: JobContext): Promise<void> {
    const endsAt = performance.now() + sliceMs;
    for (let { afterId } = payload; ;) {
      if (signal.aborted || performance.now() >= endsAt) {
        const left = new MembersLeftToFollow({ ...payload, afterId });
        return this.database.transaction((tx) => this.jobs.add(tx, left));
      }
      const page = await this.members.findPage(payload.accountId, afterId, pageSize);
      const end = page.at(-1);
      if (!end) return;
      await this.followPage(payload, page);
      afterId = end.id;
    }
  }

  private followPage({ accountId, passes }: MembersLeftToFollow['payload'], page: readonly MemberKey[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      const settings = await this.settings.lockForShare(tx, accountId);
      if (!settings) return;
      await shareTemplates(
        tx,
        page.map(({ templateId }) => ({ accountId, templateId })),
      );
      const members = await this.members.lockPage(
        tx,
        accountId,
        page.map(({ id }) => id),
      );
      const followed = members.map((member) => {
        const remindedUntil = doneUntil(member, settings);
        return { ...member, remindedUntil, dueAt: nextDue(member, settings, remindedUntil) };
      });
      await this.members.updateMany(tx, followed);
      if (passes) await this.passes.followMany(tx, followed, settings, this.clock.now());
    });
  }
}
