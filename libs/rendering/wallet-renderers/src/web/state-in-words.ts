import type { RenderPass } from '../model.js';
import type { PassState } from '../pass-state.js';
import { phrasesOf, type Reading } from './languages.js';
import { dateInWords } from './page-dates.js';

/** A state as text, and whether it is good news. */
export interface StateInWords {
  readonly words: string;
  readonly tone: 'good' | 'waiting' | 'ended';
}

const english: Reading = { language: 'en', locale: 'en-GB' };

/** Describes the state of a pass in the reader's language. @param timeZone the zone of its dates */
export function stateInWords(
  state: PassState,
  pass: Pick<RenderPass, 'validFrom' | 'expiresAt' | 'redeemedAt'>,
  { language, locale }: Reading = english,
  timeZone = 'UTC',
): StateInWords {
  const phrases = phrasesOf(language);
  const dated = (phrase: string, date: Date | null) =>
    phrase.replace('{date}', () => (date ? dateInWords(date, 'moment', locale, timeZone) : ''));
  switch (state) {
    case 'voided':
      return { words: phrases.voided, tone: 'ended' };
    case 'redeemed':
      return { words: dated(phrases.redeemed, pass.redeemedAt), tone: 'ended' };
    case 'expired':
      return { words: dated(phrases.expired, pass.expiresAt), tone: 'ended' };
    case 'not_yet_valid':
      return { words: dated(phrases.notYetValid, pass.validFrom), tone: 'waiting' };
    case 'valid':
      return { words: pass.expiresAt ? dated(phrases.validUntil, pass.expiresAt) : phrases.valid, tone: 'good' };
  }
}
