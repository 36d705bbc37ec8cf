import type { Pass } from '@passwright/passes';
import type { Template } from '@passwright/templates';
import {
  type FieldSets,
  type Language,
  maxFrontFields,
  membershipNotice,
  ownLanguage,
  readingFor,
  type RenderField,
  translatedLanguages,
  webLanguages,
} from '@passwright/wallet-renderers';
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

export interface NoticeLanguages {
  readonly own: Language;
  /** The other languages of the pass, by BCP 47 tag. */
  readonly others: ReadonlyMap<string, Language>;
}

/**
 * Returns the languages of the notice on a pass. The main language is the holder's, if it is known, or else the
 * template's. A translated pass also has the notice in each of its languages for which this service has phrases.
 * @param fallback the language of the installation, a BCP 47 tag
 */
export function noticeLanguages(
  template: Pick<Template, 'language' | 'translations'>,
  pass: Partial<Pick<Pass, 'language' | 'translations'>>,
  fallback = 'en',
): NoticeLanguages {
  const ofTexts = ownLanguage(template, fallback);
  const own = readingFor(pass.language ?? undefined, `${ofTexts}, ${fallback}`).language;
  const translated = translatedLanguages(template, { translations: pass.translations ?? null });
  const tags = translated.length > 0 ? [ofTexts, ...translated] : [];
  const others = tags.flatMap((tag) => {
    const language = webLanguages.find((each) => each === tag.split('-', 1)[0]);
    return language && language !== own ? [[tag, language] as const] : [];
  });
  return { own, others: new Map(others) };
}

/** Builds the notice on a member's pass; null if the settings have no label or the membership has no end. */
export function noticeOf(
  { expiresAt, remindersSent }: NoticedTerm,
  { noticeLabel, timeZone }: NoticeSettings,
  { own, others }: NoticeLanguages,
): RenderField | null {
  if (noticeLabel === null || !expiresAt) return null;
  const sent = Object.keys(remindersSent).length;
  const valueOf = (language: Language) => membershipNotice({ expiresAt, timeZone }, language, sent);
  const valueIn = Object.fromEntries([...others].map(([tag, language]) => [tag, valueOf(language)]));
  return { key: noticeKey, label: noticeLabel, value: valueOf(own), ...(others.size > 0 && { valueIn }) };
}

/**
 * Returns the reason why passes of a template cannot have the notice, as the end of a sentence that begins with
 * `noticeLabel`. Returns null if they can.
 */
export function noticeProblem({ id, fields, backFields }: Pick<Template, 'id'> & FieldSets): string | null {
  if (backFields.some(({ key }) => key === noticeKey)) {
    return `needs the key "${noticeKey}", which template "${id}" has on its back; use another key there, or set noticeLabel to null`;
  }
  const hasRoom = fields.length < maxFrontFields || fields.some(({ key }) => key === noticeKey);
  return hasRoom
    ? null
    : `needs a front field, of which template "${id}" has ${maxFrontFields} already; remove one, or set noticeLabel to null`;
}
