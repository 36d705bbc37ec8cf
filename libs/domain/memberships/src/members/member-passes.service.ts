import { Injectable } from '@nestjs/common';
import { KeyMissing } from '@passwright/accounts';
import {
  type DependentContent,
  DependentPasses,
  type Pass,
  type PassAddress,
  type TimelyMessage,
} from '@passwright/passes';
import type { Template } from '@passwright/templates';
import { type Language, mergeFields, readingFor, type RenderField } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { MembershipsOptions } from '../memberships.options.js';
import { noticeKey, noticeOf, noticeProblem, type NoticeSettings } from '../settings/notice.js';
import { isUnread } from './member-encryption.service.js';
import type { Member } from './member.entity.js';

/** What a member's pass is made of. */
export type PassHolder = Pick<Member, 'name' | 'status' | 'expiresAt' | 'remindersSent'>;

/** Keeps members' passes in line with them. */
@Injectable()
export class MemberPassesService {
  constructor(
    private readonly passes: DependentPasses,
    private readonly options: MembershipsOptions,
  ) {}

  /**
   * Issues the passes of new members, or of one who has none any more, from a template that is locked for it. They are
   * without the notice when the template has been left no room for it since it was named in the settings.
   * @param holders with the id of the pass where it has to be a certain one. @throws ValidationFailed,
   * LimitExceeded, KeyMissing for a member whose name cannot be read
   */
  issue(
    tx: EntityManager,
    template: Template,
    settings: NoticeSettings,
    holders: readonly (PassHolder & { readonly passId?: string })[],
    now: Date,
  ): Promise<Pass[]> {
    if (holders.some(isUnread)) throw new KeyMissing();
    const hasRoom = noticeProblem(template) === null;
    const contents = holders.map((holder) => ({
      ...contentOf(holder),
      fields: hasRoom ? this.withNotice([], holder, settings) : [],
      ...(holder.passId !== undefined && { id: holder.passId }),
    }));
    return this.passes.issue(tx, template, contents, now);
  }

  /**
   * Brings the pass of a locked member in line: void unless active, its expiry, its name, and the notice, whose text is
   * another after each reminder. Wallets are told of what they see of that. Harmless when the pass was deleted.
   * @param reminder of which holders are told when the pass has the notice: phones show it as the change it is, for Google
   * it is a message. @returns whether the pass has changed; null when there is none
   */
  follow(
    tx: EntityManager,
    member: Member,
    settings: NoticeSettings,
    now: Date,
    reminder?: string,
  ): Promise<boolean | null> {
    const message = reminder === undefined ? null : this.messageOf(reminder, member, settings);
    return this.passes.change(tx, addressOf(member), this.contentFor(member, settings), now, message);
  }

  /** As `follow`, of members of one account in the order in which they are locked, in a few statements for all. */
  followMany(tx: EntityManager, members: readonly Member[], settings: NoticeSettings, now: Date): Promise<void> {
    const changes = members.map((member) => {
      return { address: addressOf(member), contentOf: this.contentFor(member, settings) };
    });
    return this.passes.changeMany(tx, changes, now);
  }

  /** As a pass is deleted by itself: phones that hold it get a void one. */
  delete(tx: EntityManager, member: Member, now: Date): Promise<void> {
    return this.passes.delete(tx, addressOf(member), now);
  }

  private get language(): Language {
    return readingFor(this.options.language, undefined).language;
  }

  private contentFor(member: Member, settings: NoticeSettings): (pass: Pass) => DependentContent {
    const content = contentOf(member);
    return ({ fields, primaryValue }) => ({
      ...content,
      ...(isUnread(member) && { primaryValue }),
      fields: this.withNotice(fields, member, settings),
    });
  }

  private messageOf(reminder: string, member: Member, settings: NoticeSettings): TimelyMessage | null {
    const notice = noticeOf(member, settings, this.language);
    if (!notice || !member.expiresAt) return null;
    const until = member.expiresAt.toISOString();
    return { id: `${reminder}:${until}`, header: notice.label, body: notice.value, until };
  }

  /** A pass's own fields with the notice in its place, or without where there is none. */
  private withNotice(fields: readonly RenderField[], holder: PassHolder, settings: NoticeSettings): RenderField[] {
    const notice = noticeOf(holder, settings, this.language);
    return notice ? [...mergeFields(fields, [notice])] : fields.filter(({ key }) => key !== noticeKey);
  }
}

/** Where a member's pass is. */
export function addressOf({ accountId, templateId, passId }: Member): PassAddress {
  return { accountId, templateId, passId };
}

/** Void from when an expiry is noted on; until then the pass says that it has expired by itself. */
function contentOf({ name, status, expiresAt }: PassHolder): Omit<DependentContent, 'fields'> {
  return { primaryValue: name, expiresAt, voided: status !== 'active' };
}
