import { Injectable } from '@nestjs/common';
import { KeyMissing } from '@passwright/accounts';
import {
  type ManagedContent,
  ManagedPassesService,
  type Pass,
  type PassAddress,
  type TimelyMessage,
} from '@passwright/passes';
import type { Template } from '@passwright/templates';
import { mergeFields, type RenderField } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { MembershipsOptions } from '../memberships.options.js';
import {
  noticeKey,
  type NoticeLanguages,
  noticeLanguages,
  noticeOf,
  noticeProblem,
  type NoticeSettings,
} from '../settings/membership-notice.js';
import { isUnread } from './member-encryption.service.js';
import type { Member } from './member.entity.js';

/** The properties of a member that determine its pass. */
export type PassHolder = Pick<Member, 'name' | 'status' | 'expiresAt' | 'remindersSent'>;

/** Issues members' passes, and updates them when members change. */
@Injectable()
export class MemberPassesService {
  constructor(
    private readonly passes: ManagedPassesService,
    private readonly options: MembershipsOptions,
  ) {}

  /**
   * Issues passes for members without a pass. The caller must have locked the template. Omits the notice if the
   * template has no room for it. @param holders the members, optionally with a pass id. @throws ValidationFailed,
   * LimitExceeded, KeyMissing for a member whose name cannot be decrypted
   */
  issue(
    tx: EntityManager,
    template: Template,
    settings: NoticeSettings,
    holders: readonly (PassHolder & { readonly passId?: string })[],
    now: Date,
  ): Promise<Pass[]> {
    if (holders.some(isUnread)) throw new KeyMissing();
    const contents = holders.map((holder) => ({
      ...contentOf(holder),
      fields: this.withNotice(noFields, template, holder, settings),
      ...(holder.passId !== undefined && { id: holder.passId }),
    }));
    return this.passes.issue(tx, template, contents, now);
  }

  /**
   * Updates the pass of a locked member: voids it unless the member is active, and sets its expiry, name and notice.
   * Notifies wallets of visible changes.
   * @param reminder a reminder to announce if the pass has a notice: phones announce the new text of the notice, and
   * Google sends a message.
   * @returns true if the pass has changed; null if there is no pass
   */
  follow(
    tx: EntityManager,
    member: Member,
    settings: NoticeSettings,
    now: Date,
    reminder?: string,
  ): Promise<boolean | null> {
    const messageOf = (pass: Pass, template: Template) =>
      reminder === undefined ? null : this.messageOf(reminder, member, this.noticeOn(pass, template, member, settings));
    return this.passes.change(tx, addressOf(member), this.contentFor(member, settings), now, messageOf);
  }

  /**
   * Works like `follow` for several members of one account, in a few statements. `members` must be in the order of
   * their locks.
   */
  followMany(tx: EntityManager, members: readonly Member[], settings: NoticeSettings, now: Date): Promise<void> {
    const changes = members.map((member) => {
      return { address: addressOf(member), contentOf: this.contentFor(member, settings) };
    });
    return this.passes.changeMany(tx, changes, now);
  }

  /** Deletes the member's pass. Phones that have the pass receive a void version. */
  delete(tx: EntityManager, member: Member, now: Date): Promise<void> {
    return this.passes.delete(tx, addressOf(member), now);
  }

  private languagesOf(pass: Partial<Pick<Pass, 'language' | 'translations'>>, template: Template): NoticeLanguages {
    return noticeLanguages(template, pass, this.options.language);
  }

  private contentFor(member: Member, settings: NoticeSettings): (pass: Pass, template: Template) => ManagedContent {
    const content = contentOf(member);
    return (pass, template) => ({
      ...content,
      ...(isUnread(member) && { primaryValue: pass.primaryValue }),
      fields: this.withNotice(pass, template, member, settings),
    });
  }

  private messageOf(reminder: string, member: Member, notice: Notice | null): TimelyMessage | null {
    if (!notice || !member.expiresAt) return null;
    const until = member.expiresAt.toISOString();
    const { languages } = notice;
    const { label: header, value: body, valueIn } = notice.field;
    const texts = Object.entries(valueIn ?? {}).map(([tag, value]) => [tag, { header, body: value }] as const);
    const translated = { language: languages.own, translations: Object.fromEntries(texts) };
    return { id: `${reminder}:${until}`, header, body, until, ...(valueIn && translated) };
  }

  /** Returns the front fields of a pass with the current notice, if it has one. */
  private withNotice(
    pass: NoticedPass,
    template: Template,
    holder: PassHolder,
    settings: NoticeSettings,
  ): RenderField[] {
    const notice = this.noticeOn(pass, template, holder, settings);
    return notice ? [...mergeFields(pass.fields, [notice.field])] : withoutNotice(pass);
  }

  /**
   * Returns the current notice of a pass. Returns null if the member has none, or if the pass has four other front fields
   * or the key of the notice on its back.
   */
  private noticeOn(pass: NoticedPass, template: Template, holder: PassHolder, settings: NoticeSettings): Notice | null {
    const languages = this.languagesOf(pass, template);
    const field = noticeOf(holder, settings, languages);
    if (!field || noticeProblem(mergedWith(template, { ...pass, fields: withoutNotice(pass) })) !== null) return null;
    return { field, languages };
  }
}

interface Notice {
  readonly field: RenderField;
  readonly languages: NoticeLanguages;
}

/** The content of a pass that determines whether and how it has the notice. */
type NoticedPass = Pick<Pass, 'fields' | 'backFields'> & Partial<Pick<Pass, 'language' | 'translations'>>;

const noFields: NoticedPass = { fields: [], backFields: [] };

function withoutNotice({ fields }: NoticedPass): RenderField[] {
  return fields.filter(({ key }) => key !== noticeKey);
}

/** Returns a template with the fields that a pass of it has. */
function mergedWith(template: Template, pass: NoticedPass) {
  const { id, fields, backFields } = template;
  return { id, fields: mergeFields(fields, pass.fields), backFields: mergeFields(backFields, pass.backFields) };
}

/** Returns the address of a member's pass. */
export function addressOf({ accountId, templateId, passId }: Member): PassAddress {
  return { accountId, templateId, passId };
}

/**
 * Builds the content of a pass. The pass of an expired member is void once the status `expired` is stored. Until then,
 * its own expiry makes it invalid.
 */
function contentOf({ name, status, expiresAt }: PassHolder): Omit<ManagedContent, 'fields'> {
  return { primaryValue: name, expiresAt, voided: status !== 'active' };
}
