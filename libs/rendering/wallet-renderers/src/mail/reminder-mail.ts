import type { WithActions } from '../actions.js';
import type { RenderTemplate } from '../model.js';
import { actionLinks } from '../web/action-words.js';
import { type Language, readingFor } from '../web/languages.js';
import { dateInWords } from '../web/page-dates.js';
import { oneLine, shortened } from './mail-line.js';
import { frameOf, type MailContext, named } from './mail-view.js';
import { bothForms, maxSubject, type PassMail } from './pass-mail.js';
import { reminderPhrases } from './reminder-phrases.js';

/** A membership that will end. */
export interface EndingMembership {
  readonly expiresAt: Date;
  /** The IANA name of the zone that defines the days of the membership. */
  readonly timeZone: string;
}

/** The input of a reminder besides the template and the membership. */
export interface ReminderContext extends MailContext {
  /** The member's pass, whose own actions replace those of the template. Default: a pass without actions of its own. */
  readonly pass?: WithActions;
}

/**
 * Builds the mail that reminds a member of the end of the membership. It contains the issuer, the last day, a button to
 * the pass's page, and the pass's actions. Like `passMail`, it reveals neither fields nor code. All text is escaped.
 * The same input always gives the same mail.
 * @throws RangeError for an unreadable colour or an invalid `webUrl`
 */
export function reminderMail(
  template: RenderTemplate,
  membership: EndingMembership,
  context: ReminderContext,
): PassMail {
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
    actions: actionLinks(template, context.pass ?? {}, context.language),
    sentBy: named(sentBy),
  });
}

/**
 * Returns the notice on a member's pass: `Until 31 December 2026`. The text differs after each reminder, because
 * wallets notify holders only of changed texts.
 * @param reminders the number of reminders sent
 */
export function membershipNotice(membership: EndingMembership, language: Language, reminders: number): string {
  const [until, ends, last] = reminderPhrases[language].notices;
  const phrase = reminders === 0 ? until : reminders % 2 === 1 ? ends : last;
  return dated(phrase, lastDay(membership, language));
}

/** Returns the last day as people name it: the day before, if a membership ends at midnight. */
function lastDay({ expiresAt, timeZone }: EndingMembership, language: Language): string {
  const { locale } = readingFor(language, undefined);
  return dateInWords(new Date(expiresAt.getTime() - 1), 'date', locale, timeZone);
}

function dated(phrase: string, date: string): string {
  return phrase.replace('{date}', () => date);
}
