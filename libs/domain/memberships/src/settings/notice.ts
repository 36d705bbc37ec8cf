import type { Template } from '@passwright/templates';
import { type Language, maxFrontFields, membershipNotice, type RenderField } from '@passwright/wallet-renderers';
import type { MembershipSettings } from './membership-settings.entity.js';

/** The key of the front field that shows when a membership ends. Phones show a notification when it changes. */
export const noticeKey = 'membership';

/** The settings that determine the notice. */
export type NoticeSettings = Pick<MembershipSettings, 'noticeLabel' | 'timeZone'>;

/** The term of a membership that the notice shows. */
export interface NoticedTerm {
  readonly expiresAt: Date | null;
  /** The times of sent reminders by key. */
  readonly remindersSent: Readonly<Record<string, string>>;
}

/** Builds the notice on a member's pass; null if the settings have no label or the membership has no end. */
export function noticeOf(
  { expiresAt, remindersSent }: NoticedTerm,
  { noticeLabel, timeZone }: NoticeSettings,
  language: Language,
): RenderField | null {
  if (noticeLabel === null || !expiresAt) return null;
  const sent = Object.keys(remindersSent).length;
  return { key: noticeKey, label: noticeLabel, value: membershipNotice({ expiresAt, timeZone }, language, sent) };
}

/** Returns why passes of a template cannot have the notice, as text that follows `noticeLabel`; null if they can. */
export function noticeProblem({
  id,
  fields,
  backFields,
}: Pick<Template, 'id' | 'fields' | 'backFields'>): string | null {
  if (backFields.some(({ key }) => key === noticeKey)) {
    return `needs the key "${noticeKey}", which template "${id}" has on its back; use another key there, or set noticeLabel to null`;
  }
  const hasRoom = fields.length < maxFrontFields || fields.some(({ key }) => key === noticeKey);
  return hasRoom
    ? null
    : `needs a front field, of which template "${id}" has ${maxFrontFields} already; remove one, or set noticeLabel to null`;
}
