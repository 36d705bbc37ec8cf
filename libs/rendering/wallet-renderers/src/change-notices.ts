import { changeLine } from './apple/change-message.js';
import { type AppleField, appleFields } from './apple/pass-fields.js';
import type { RenderPass, RenderTemplate } from './model.js';
import { passState } from './pass-state.js';
import { humanDate } from './web/human-date.js';

/** A pass and its template at one point in time. */
export interface Shown {
  readonly template: RenderTemplate;
  readonly pass: RenderPass;
}

/** A line about a change, for the holders of a pass. */
export interface ChangeNotice {
  /** The key of the changed field. The service's own fields are `_title`, `_primary`, `_date` and `_place`. */
  readonly key: string;
  /**
   * The text as shown. A date is in the zone of the event's place here, or in UTC if that is unknown; the phone formats
   * it in the language of its holder.
   */
  readonly message: string;
}

/** A front field whose value changed. */
export interface FrontChange {
  readonly key: string;
  /** The value before the change; null if the front lacked the field. */
  readonly before: string | null;
  /** The value after the change; null if the front lacks the field. */
  readonly after: string | null;
  /** The line for holders; null for a silent change. */
  readonly message: string | null;
}

/**
 * Returns the front fields whose value changed, in the order of the front, and then the removed ones. A change has a
 * line unless the field asks for silence. Removed values have none. Neither have new fields, because we do not know if
 * phones announce them. A pass that is voided, redeemed or expired at `now` has no lines, because phones put it away.
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function frontChanges(before: Shown, after: Shown, now: Date): FrontChange[] {
  const state = passState(after.template, after.pass, now);
  const isShown = state === 'valid' || state === 'not_yet_valid';
  const earlier = new Map(frontOf(before).map(({ key, value }) => [key, value]));
  const later = frontOf(after);
  const kept = later.flatMap((field): FrontChange[] => {
    const { key, value, changeMessage } = field;
    const previous = earlier.get(key) ?? null;
    earlier.delete(key);
    if (previous === value) return [];
    const isSilent = !isShown || changeMessage === undefined || previous === null;
    const message = isSilent ? null : changeLine(changeMessage, shownValue(field));
    return [{ key, before: previous, after: value, message }];
  });
  const removed = [...earlier].map(([key, value]) => ({ key, before: value, after: null, message: null }));
  return [...kept, ...removed];
}

/**
 * Returns the lines that holders see on their lock screens. Changed labels and changes on the back produce none.
 */
export function noticesOf(changes: readonly FrontChange[]): ChangeNotice[] {
  return changes.flatMap(({ key, message }) => (message === null ? [] : [{ key, message }]));
}

function frontOf({ template, pass }: Shown): AppleField[] {
  const { primaryFields, secondaryFields, auxiliaryFields } = appleFields(template, pass);
  return [...primaryFields, ...secondaryFields, ...auxiliaryFields];
}

function shownValue({ value, dateStyle, timeStyle, ignoresTimeZone }: AppleField): string {
  if (!dateStyle) return value;
  if (!ignoresTimeZone) return humanDate(new Date(value));
  const [day = '', time = ''] = humanDate(new Date(`${value.slice(0, 19)}Z`))
    .replace(/ UTC$/, '')
    .split(', ');
  return timeStyle === 'PKDateStyleNone' ? day : `${day}, ${time}`;
}
