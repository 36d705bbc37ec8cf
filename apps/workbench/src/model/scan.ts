import { stateOf } from './pass.js';

/** The verdict on a scanned pass: admit its holder, or the reason not to. */
export interface Verdict {
  readonly tone: 'good' | 'waiting' | 'ended';
  readonly title: string;
  readonly text: string;
  readonly isRedeemable: boolean;
}

interface ScannedPass {
  readonly voided: boolean;
  readonly redeemedAt?: string;
  readonly expiry?: string;
  readonly validFrom?: string;
}

/**
 * Judges a pass before it is redeemed. The service makes the final decision when the pass is redeemed.
 * @param inWords formats a time
 */
export function verdictOf(pass: ScannedPass, now: number, inWords: (time: string) => string): Verdict {
  const { word, tone } = stateOf(pass, now);
  const texts: Readonly<Record<string, readonly [title: string, text: string]>> = {
    valid: ['Valid', 'Not redeemed yet.'],
    void: ['Void', 'This pass is no longer valid.'],
    redeemed: ['Already redeemed', `Redeemed ${inWords(pass.redeemedAt ?? '')}.`],
    expired: ['Expired', `Expired ${inWords(pass.expiry ?? '')}.`],
    'not valid yet': ['Not valid yet', `Valid from ${inWords(pass.validFrom ?? '')}.`],
  };
  const [title = word, text = ''] = texts[word] ?? [];
  return { tone, title, text, isRedeemable: word === 'valid' };
}

/**
 * How long a code must be out of sight to count as a new scan, because a camera sees the same code in many pictures.
 */
const OUT_OF_SIGHT_MS = 2000;
/** After this number of pictures without a code, it may be on another holder's phone. */
const PICTURES_WITHOUT = 4;
/** The number of remembered codes, more than a camera can see at the same time. */
const MOST_CODES = 100;

/** A code that has come into sight. It is not a new scan after a short gap. */
export interface Sight {
  readonly code: string;
  readonly isNew: boolean;
}

/** Returns a function that takes the codes in each picture and returns those that have come into sight. */
export function sightsOf(): (codes: readonly string[], now: number) => Sight[] {
  // The code that was seen longest ago is first, because each sight moves its code to the end.
  const lastSights = new Map<string, { readonly at: number; readonly picture: number }>();
  let picture = 0;
  return (codes, now) => {
    picture += 1;
    return codes.flatMap((code) => {
      const last = lastSights.get(code);
      lastSights.delete(code);
      lastSights.set(code, { at: now, picture });
      const [[oldest = code] = []] = lastSights;
      if (lastSights.size > MOST_CODES) lastSights.delete(oldest);
      const isNew = !last || now - last.at > OUT_OF_SIGHT_MS;
      return isNew || picture - last.picture > PICTURES_WITHOUT ? [{ code, isNew }] : [];
    });
  };
}
