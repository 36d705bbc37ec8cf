import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import { Clock, type IfMatch, PreconditionFailed, requireMatch, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { type Template, TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { MembershipSettings } from './membership-settings.entity.js';
import { noticeProblem } from './membership-notice.js';
import { canHaveMembers } from './member-template.js';
import { defaultNoticeLabel, type MembershipSettingsRequest, settingsTag } from './settings.dto.js';
import { NoMembershipSettings } from './settings.errors.js';
import { MembershipSettingsChanged } from './settings.jobs.js';
import { SettingsRepository } from './settings.repository.js';

/** The settings that a caller can choose. */
type Choices = Pick<MembershipSettings, 'templateId' | 'reminders' | 'timeZone' | 'noticeLabel'>;

/** Reads and writes the membership settings of accounts. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly database: Database,
    private readonly repository: SettingsRepository,
    private readonly templates: TemplatesService,
    private readonly auditLog: AuditLog,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** @throws NoMembershipSettings */
  async get(accountId: string): Promise<MembershipSettings> {
    const settings = await this.repository.find(accountId);
    if (!settings) throw new NoMembershipSettings();
    return settings;
  }

  /**
   * Creates the settings, or replaces all of them. Existing members keep their template. A job updates their due times
   * and the notices on their passes.
   * @throws ValidationFailed, TemplateNotFound, TemplateArchived, PreconditionFailed
   */
  async put(accountId: string, request: MembershipSettingsRequest, ifMatch: IfMatch): Promise<MembershipSettings> {
    const choices = chosen(request);
    return this.database.transaction(async (tx) => {
      const current = await this.repository.lockForUpdate(tx, accountId);
      requireCurrent(current, ifMatch);
      const template = await this.templates.lockForIssue(tx, accountId, choices.templateId);
      requireFit(template, choices);
      return current ? this.replace(tx, current, choices) : this.make(tx, accountId, choices);
    });
  }

  private async make(tx: EntityManager, accountId: string, choices: Choices): Promise<MembershipSettings> {
    const now = this.clock.now();
    const times = { remindersSince: now, createdAt: now, updatedAt: now };
    const settings = { accountId, ...choices, lastMemberId: 0, version: 1, ...times };
    await this.repository.insert(tx, settings);
    await this.record(tx, accountId, undefined, choices);
    return settings;
  }

  private async replace(tx: EntityManager, current: MembershipSettings, choices: Choices): Promise<MembershipSettings> {
    const before = choicesOf(current);
    if (isDeepStrictEqual(before, choices)) return current;
    const now = this.clock.now();
    const isOther = (...names: (keyof Choices)[]) =>
      names.some((name) => !isDeepStrictEqual(before[name], choices[name]));
    const remindersSince = isOther('reminders', 'timeZone') ? now : current.remindersSince;
    const settings = { ...current, ...choices, remindersSince, version: current.version + 1, updatedAt: now };
    await this.repository.update(tx, settings);
    await this.record(tx, current.accountId, before, choices);
    const passes = isOther('timeZone', 'noticeLabel');
    if (passes || isOther('reminders')) {
      await this.jobs.add(tx, new MembershipSettingsChanged({ accountId: current.accountId, passes }));
    }
    return settings;
  }

  private record(tx: EntityManager, accountId: string, before: Choices | undefined, after: Choices): Promise<void> {
    const target = { kind: 'membershipSettings' };
    return this.auditLog.record(tx, { accountId, action: 'membership.settings_changed', target, before, after });
  }
}

function chosen({ templateId, reminders, timeZone, noticeLabel }: MembershipSettingsRequest): Choices {
  const problems = [...repeated(reminders, 'key'), ...repeated(reminders, 'daysBefore')];
  if (problems.length > 0) throw new ValidationFailed(problems);
  return {
    templateId,
    reminders: reminders
      .map(({ key, daysBefore }) => ({ key, daysBefore }))
      .sort((one, other) => other.daysBefore - one.daysBefore),
    timeZone: timeZone ?? 'UTC',
    noticeLabel: noticeLabel === undefined ? defaultNoticeLabel : noticeLabel,
  };
}

function choicesOf({ templateId, reminders, timeZone, noticeLabel }: MembershipSettings): Choices {
  return { templateId, reminders, timeZone, noticeLabel };
}

function repeated(reminders: MembershipSettingsRequest['reminders'], property: 'key' | 'daysBefore'): string[] {
  return reminders.flatMap((reminder, index) => {
    const first = reminders.findIndex((other) => other[property] === reminder[property]);
    return first === index
      ? []
      : [`reminders[${index}].${property} is that of reminders[${first}] too; each can be there once`];
  });
}

function requireCurrent(current: MembershipSettings | null, ifMatch: IfMatch): void {
  if (current) requireMatch(ifMatch, 'membership settings', settingsTag(current));
  else if (ifMatch) throw new PreconditionFailed('membership settings', 'absent');
}

function requireFit(template: Template, { noticeLabel }: Choices): void {
  if (!canHaveMembers(template.type)) {
    throw new ValidationFailed(
      `templateId: template "${template.id}" is of type ${template.type}; members' passes need one of type membership or generic`,
    );
  }
  const problem = noticeLabel === null ? null : noticeProblem(template);
  if (problem) throw new ValidationFailed(`noticeLabel ${problem}`);
}
