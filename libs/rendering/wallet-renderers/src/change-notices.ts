import { changeLine } from './apple/change-message.js';
import { type AppleField, appleFields } from './apple/pass-fields.js';
import type { RenderPass, RenderTemplate } from './model.js';
import { passState } from './pass-state.js';
import { humanDate } from './web/human-date.js';

/** A pass and its template as they are, or were, at one time. */
export interface Shown {
  readonly template: RenderTemplate;
  readonly pass: RenderPass;
}

/** A line that a lock screen will show. */
export interface ChangeNotice {
  /** The field that has changed: its key, or of those the service adds `_title`, `_primary`, `_date` or `_place`. */
  readonly key: string;
  /** The text as it is shown. A date is written in UTC here, and by the phone in its holder's language and zone. */
  readonly message: string;
}

/** Which changes each wallet tells its holders. Google Wallet is told of none yet: `walletB` is always empty. */
export interface ChangeNotices {
  readonly walletA: readonly ChangeNotice[];
  readonly walletB: readonly ChangeNotice[];
}

/**
 * What the holders of a pass will read on their lock screens once their phones have fetched `after` instead of
 * `before`: a line for each front field that was there, is there and has another value, in the order of the front.
 * None for a changed label, a value that went, a silent field or the back. None for a field that is new, since
 * whether phones announce one is not known for certain. None when the pass is voided, redeemed or expired at `now`:
 * phones put it away.
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
    return [{ key, message: changeLine(changeMessage, field.dateStyle ? humanDate(new Date(value)) : value) }];
  });
  return { walletA, walletB: [] };
}

function frontOf({ template, pass }: Shown): AppleField[] {
  const { primaryFields, secondaryFields, auxiliaryFields } = appleFields(template, pass);
  return [...primaryFields, ...secondaryFields, ...auxiliaryFields];
}
