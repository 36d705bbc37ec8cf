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

/** A line that a lock screen will show. */
export interface ChangeNotice {
  /** The key of the changed field. The service's own fields are `_title`, `_primary`, `_date` and `_place`. */
  readonly key: string;
  /**
   * The text as shown. A date is in the zone of the event's place here, or in UTC if that is unknown; the phone formats
   * it in the language of its holder.
   */
  readonly message: string;
}

/**
 * The changes that each wallet announces to its holders. Google Wallet announces none yet, so `walletB` is always
 * empty.
 */
export interface ChangeNotices {
  readonly walletA: readonly ChangeNotice[];
  readonly walletB: readonly ChangeNotice[];
}

/**
 * Returns the lines that holders of a pass will see on their lock screens after their phones replace `before` with
 * `after`: one for each front field whose value changed, in the order of the front. Changed labels, removed values,
 * silent fields and the back produce none. Neither do new fields, because we do not know if phones announce them. A
 * pass that is voided, redeemed or expired at `now` produces none, because phones put it away.
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function changeNotices(before: Shown, after: Shown, now: Date): ChangeNotices {
  const state = passState(after.template, after.pass, now);
  if (state !== 'valid' && state !== 'not_yet_valid') return { walletA: [], walletB: [] };
  const known = new Map(frontOf(before).map(({ key, value }) => [key, value]));
  const walletA = frontOf(after).flatMap((field): ChangeNotice[] => {
    const { key, value, changeMessage } = field;
    const previous = known.get(key);
    if (changeMessage === undefined || previous === undefined || previous === value) return [];
    return [{ key, message: changeLine(changeMessage, shownValue(field)) }];
  });
  return { walletA, walletB: [] };
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
