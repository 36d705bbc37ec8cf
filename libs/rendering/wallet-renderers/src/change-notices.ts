import { changeLine } from './apple/change-message.js';
import { type AppleField, appleFields } from './apple/pass-fields.js';
import type { RenderPass, RenderTemplate } from './model.js';
import { passState } from './pass-state.js';
import { inLanguage, inLanguagesWithinLimit, translatedLanguages } from './translations/in-language.js';
import { utcDate } from './utc-date.js';

/** A pass and its template at one point in time. */
export interface Shown {
  readonly template: RenderTemplate;
  readonly pass: RenderPass;
}

/** A lock screen line about a changed field. */
export interface ChangeNotice {
  /** The key of the changed field. The service's own fields are `_title`, `_primary`, `_date` and `_place`. */
  readonly key: string;
  /**
   * The text on the lock screen. Dates in the text are in the time zone of the event's place, or in UTC if the place is
   * unknown.
   */
  readonly message: string;
  /** The text in the other languages of the template and the pass, by BCP 47 tag; absent without translations. */
  readonly translations?: Readonly<Record<string, string>>;
}

/** A front field whose value changed. */
export interface FrontChange {
  readonly key: string;
  /** The value before the change; null if the front lacked the field. */
  readonly before: string | null;
  /** The value after the change; null if the front lacks the field. */
  readonly after: string | null;
  /** The lock screen line; null for a silent change. */
  readonly message: string | null;
  /** The lock screen line in other languages, by BCP 47 tag. */
  readonly translations?: Readonly<Record<string, string>>;
  /** True if the service stores the value encrypted. The lock screen line must then be encrypted too. */
  readonly isPersonal?: boolean;
}

/**
 * Reasons why a changed front field has no lock screen line.
 * - `pass_state`: the pass is void, used or expired, so phones announce nothing
 * - `removed_field`: the front lacks the field now, or its value is empty
 * - `new_field`: the front lacked the field before
 * - `silent_field`: the change message of the field is empty
 */
export const silentReasons = ['pass_state', 'removed_field', 'new_field', 'silent_field'] as const;
export type SilentReason = (typeof silentReasons)[number];

/** A changed front field without a lock screen line. */
export interface SilentChange {
  readonly key: string;
  readonly reason: SilentReason;
}

/** The maximum length of the lines about a change in all languages together. The lines are stored with the pass. */
const MAX_CHARACTERS = 20_000;

/**
 * Returns the front fields whose value changed, in the order of the front, and then the removed fields. A change has no
 * lock screen line if the field is new or removed, if its change message is empty, or if the pass is voided, redeemed
 * or expired at `now`. iPhones announce only values that are on the front; they may or may not announce new fields.
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function frontChanges(before: Shown, after: Shown, now: Date): FrontChange[] {
  const isShown = isOnTop(after, now);
  const earlier = new Map(frontOf(before).map(({ key, value }) => [key, value]));
  const later = frontOf(after);
  const kept = later.flatMap((field): Omit<FrontChange, 'translations'>[] => {
    const { key, value } = field;
    const previous = earlier.get(key) ?? null;
    earlier.delete(key);
    if (previous === value) return [];
    const message = !isShown || previous === null ? null : lineOf(field);
    return [{ key, before: previous, after: value, message }];
  });
  const removed = [...earlier].map(([key, value]) => ({ key, before: value, after: null, message: null }));
  return [...withTranslations(kept, after), ...removed];
}

/**
 * Returns the changes that have no lock screen line, with the reason.
 * @param after the pass after the changes. @param now the time of the changes
 */
export function silentChangesOf(changes: readonly FrontChange[], after: Shown, now: Date): SilentChange[] {
  const isShown = isOnTop(after, now);
  return changes.flatMap(({ key, before, after: value, message }): SilentChange[] => {
    if (message !== null) return [];
    if (!isShown) return [{ key, reason: 'pass_state' }];
    if (value === null) return [{ key, reason: 'removed_field' }];
    return [{ key, reason: before === null ? 'new_field' : 'silent_field' }];
  });
}

/** Returns the lock screen lines for the current values of front fields. Silent and missing fields have no line. */
export function currentLines(shown: Shown, keys: ReadonlySet<string>): ChangeNotice[] {
  const fields = frontOf(shown).filter(({ key }) => keys.has(key));
  const lines = fields.map((field) => ({ key: field.key, before: null, after: field.value, message: lineOf(field) }));
  return noticesOf(withTranslations(lines, shown));
}

/** Returns true for a pass that phones show among the current passes. */
function isOnTop({ template, pass }: Shown, now: Date): boolean {
  const state = passState(template, pass, now);
  return state === 'valid' || state === 'not_yet_valid';
}

/**
 * Translates the lines of changes into the languages of a template and a pass. Changes without a line stay unchanged.
 */
function withTranslations(changes: readonly FrontChange[], { template, pass }: Shown): FrontChange[] {
  const told = new Set(changes.flatMap(({ key, message }) => (message === null ? [] : [key])));
  const languages = told.size > 0 ? translatedLanguages(template, { translations: pass.translations ?? null }) : [];
  const linesIn = (language: string) => {
    // Do not translate back fields, because their changes have no lines, and their texts may be long.
    const front = inLanguage({ ...template, backFields: [] }, { ...pass, backFields: [], messages: [] }, language);
    const fields = frontOf(front).filter(({ key }) => told.has(key));
    return new Map(fields.map((field) => [field.key, lineOf(field)]));
  };
  const lines = inLanguagesWithinLimit(languages, linesIn, charactersOf, MAX_CHARACTERS);
  if (lines.length === 0) return [...changes];
  return changes.map((change) => {
    const { key, message } = change;
    if (message === null) return change;
    const translations = lines.map(({ language, result }) => [language, result.get(key) ?? message]);
    return { ...change, translations: Object.fromEntries(translations) as Record<string, string> };
  });
}

function charactersOf(lines: ReadonlyMap<string, string | null>): number {
  return [...lines.values()].reduce((sum, line) => sum + (line?.length ?? 0), 0);
}

/** @returns null for a silent field */
function lineOf(field: AppleField): string | null {
  return field.changeMessage === undefined ? null : changeLine(field.changeMessage, shownValue(field));
}

/**
 * Returns the lines that holders see on their lock screens. Changed labels and changes on the back produce no lines.
 */
export function noticesOf(changes: readonly FrontChange[]): ChangeNotice[] {
  return changes.flatMap(({ key, message, translations }) =>
    message === null ? [] : [{ key, message, ...(translations && { translations }) }],
  );
}

function frontOf({ template, pass }: Shown): AppleField[] {
  const { primaryFields, secondaryFields, auxiliaryFields } = appleFields(template, pass);
  return [...primaryFields, ...secondaryFields, ...auxiliaryFields];
}

function shownValue({ value, dateStyle, timeStyle, ignoresTimeZone }: AppleField): string {
  if (!dateStyle) return value;
  if (!ignoresTimeZone) return utcDate(new Date(value));
  const [day = '', time = ''] = utcDate(new Date(`${value.slice(0, 19)}Z`))
    .replace(/ UTC$/, '')
    .split(', ');
  return timeStyle === 'PKDateStyleNone' ? day : `${day}, ${time}`;
}
