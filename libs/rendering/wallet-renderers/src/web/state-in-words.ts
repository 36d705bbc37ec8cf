import type { RenderPass } from '../model.js';
import type { PassState } from '../pass-state.js';
import { phrasesOf, type Reading } from './languages.js';
import { dateInWords } from './page-dates.js';

/** A state as text, and whether the state is good news. */
export interface StateInWords {
  readonly words: string;
  readonly tone: 'good' | 'waiting' | 'ended';
  /** The time in `words`, and its text; null if `words` contains no time. */
  readonly moment: { readonly date: Date; readonly text: string } | null;
}

const english: Reading = { language: 'en', locale: 'en-GB' };

/**
 * Describes the state of a pass in the reader's language.
 * @param timeZone the time zone of dates in the text
 */
export function stateInWords(
  state: PassState,
  pass: Pick<RenderPass, 'validFrom' | 'expiresAt' | 'redeemedAt'>,
  { language, locale }: Reading = english,
  timeZone = 'UTC',
): StateInWords {
  const phrases = phrasesOf(language);
  const dated = (phrase: string, date: Date | null, tone: StateInWords['tone']): StateInWords => {
    const text = date ? dateInWords(date, 'moment', locale, timeZone) : '';
    return { words: phrase.replace('{date}', () => text), tone, moment: date && { date, text } };
  };
  switch (state) {
    case 'voided':
      return { words: phrases.voided, tone: 'ended', moment: null };
    case 'redeemed':
      return dated(phrases.redeemed, pass.redeemedAt, 'ended');
    case 'expired':
      return dated(phrases.expired, pass.expiresAt, 'ended');
    case 'not_yet_valid':
      return dated(phrases.notYetValid, pass.validFrom, 'waiting');
    case 'valid':
      return pass.expiresAt
        ? dated(phrases.validUntil, pass.expiresAt, 'good')
        : { words: phrases.valid, tone: 'good', moment: null };
  }
}
