import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, type JobContext, JobHandler, Jobs } from '@passwright/database';
import { shareTemplates } from '@passwright/templates';
import { MemberPasses } from '../members/member-passes.js';
import { MembershipSettingsChanged } from '../settings/settings.jobs.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { DueMembersRepository, type MemberKey } from './due-members.repository.js';
import { nextDue } from './due-times.js';
import { MembersLeftToFollow } from './reminders.jobs.js';

const sliceMs = 10_000;
const pageSize = 50;

/** After a change of an account's settings: when members are due, and what their passes say of the end. */
@Injectable()
export class MembersFollow {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsRepository,
    private readonly members: DueMembersRepository,
    private readonly passes: MemberPasses,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @JobHandler(MembershipSettingsChanged)
  settingsChanged({ accountId }: MembershipSettingsChanged['payload'], context: JobContext): Promise<void> {
    return this.follow({ accountId, afterId: 0 }, context);
  }

  /** In slices, so that others have their turn; each page in a transaction of its own. */
  @JobHandler(MembersLeftToFollow)
  async follow({ accountId, afterId }: MembersLeftToFollow['payload'], { signal }: JobContext): Promise<void> {
    const endsAt = performance.now() + sliceMs;
    for (let last = afterId; ;) {
      if (signal.aborted || performance.now() >= endsAt) {
        const left = new MembersLeftToFollow({ accountId, afterId: last });
        return this.database.transaction((tx) => this.jobs.add(tx, left));
      }
      const page = await this.members.findPage(accountId, last, pageSize);
      const end = page.at(-1);
      if (!end) return;
      await this.followPage(accountId, page);
      last = end.id;
    }
  }

  private followPage(accountId: string, page: readonly MemberKey[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      const settings = await this.settings.lockForShare(tx, accountId);
      if (!settings) return;
      await shareTemplates(
        tx,
        page.map(({ templateId }) => ({ accountId, templateId })),
      );
      const ids = page.map(({ id }) => id);
      const now = this.clock.now();
      for (const member of await this.members.lockPage(tx, accountId, ids)) {
        // A reminder that the new settings would have sent before is not sent late, unless one was to be sent just now.
        const isDue = member.dueAt !== null && member.dueAt <= now;
        const remindedUntil = isDue || member.remindedUntil > now ? member.remindedUntil : now;
        const dueAt = nextDue(member, settings, remindedUntil);
        await this.members.update(tx, { ...member, remindedUntil, dueAt });
        await this.passes.follow(tx, member, settings, now);
      }
    });
  }
}
