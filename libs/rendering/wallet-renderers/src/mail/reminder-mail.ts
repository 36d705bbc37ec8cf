import type { RenderTemplate } from '../model.js';
import { type Language, readingFor } from '../web/languages.js';
import { dateInWords } from '../web/page-dates.js';
import { oneLine, shortened } from './mail-line.js';
import { frameOf, type MailContext, named } from './mail-view.js';
import { bothForms, maxSubject, type PassMail } from './pass-mail.js';
import { reminderPhrases } from './reminder-phrases.js';

/** A membership that will end. */
export interface EndingMembership {
  readonly expiresAt: Date;
  /** IANA name: where its days are those of. */
  readonly timeZone: string;
}

/**
 * The mail that reminds a member of the end of the membership: from whom, the last day, and one button to the pass's
 * page. As `passMail` it says nothing of the pass's fields and code, escapes all texts, and is the same for the same input.
 * @throws RangeError when a colour cannot be read or `webUrl` is no web address
 */
export function reminderMail(template: RenderTemplate, membership: EndingMembership, context: MailContext): PassMail {
  const { subject, ends, lead, sentBy } = reminderPhrases[context.language];
  const date = lastDay(membership, context.language);
  const values: Record<string, string> = { issuer: template.issuerName, date };
  const line = subject.replace(/\{(issuer|date)\}/g, (_, name: string) => values[name] ?? '');
  return bothForms({
    ...frameOf(template, context),
    subject: shortened(oneLine(line), maxSubject),
    message: null,
    facts: [],
    validity: [dated(ends, date)],
    lead,
    sentBy: named(sentBy),
  });
}

/**
 * What a member's pass says of the end: `Until 31 December 2026`, and after each reminder another text, as wallets tell
 * holders of a text that has changed.
 * @param reminders how many were sent
 */
export function membershipNotice(membership: EndingMembership, language: Language, reminders: number): string {
  const [until, ends, last] = reminderPhrases[language].notices;
  const phrase = reminders === 0 ? until : reminders % 2 === 1 ? ends : last;
  return dated(phrase, lastDay(membership, language));
}

/** A membership that ends at midnight ends with the day before, to people. */
function lastDay({ expiresAt, timeZone }: EndingMembership, language: Language): string {
  const { locale } = readingFor(language, undefined);
  return dateInWords(new Date(expiresAt.getTime() - 1), 'date', locale, timeZone);
}

function dated(phrase: string, date: string): string {
  return phrase.replace('{date}', () => date);
}
