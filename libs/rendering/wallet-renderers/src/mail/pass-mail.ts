import type { RenderPass, RenderTemplate } from '../model.js';
import { forReader } from '../translations/in-language.js';
import type { Language } from '../web/languages.js';
import { eta } from '../web/page.js';
import { grounds } from './mail-colours.js';
import { oneLine, shortened } from './mail-line.js';
import { mailPhrases } from './mail-phrases.js';
import { mailTemplate } from './mail-template.js';
import { type MailView, mailView, type PassMailContext, wantedInMail } from './mail-view.js';

/** The content of an e-mail, without an address. */
export interface PassMail {
  /** One line of at most 255 UTF-16 units. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The maximum length of a subject in UTF-16 units. */
export const maxSubject = 255;
const template = eta.compile(mailTemplate);

/**
 * Returns the sender's subject, or a subject that names issuer and title if the sender sets none. The result is one
 * line of at most 255 UTF-16 units.
 */
export function passMailSubject(
  { issuerName, title }: Pick<RenderTemplate, 'issuerName' | 'title'>,
  language: Language,
  wanted: string | null = null,
): string {
  if (wanted !== null && oneLine(wanted) !== '') return shortened(oneLine(wanted), maxSubject);
  const values: Record<string, string> = { issuer: issuerName, title };
  const subject = mailPhrases[language].subject.replace(/\{(issuer|title)\}/g, (_, name: string) => values[name] ?? '');
  return shortened(oneLine(subject), maxSubject);
}

/**
 * Builds the mail that delivers a pass to its holder: the title, date and place, the sender's own text, a button to the
 * pass's page, a link to related passes, and the pass's actions. HTML and text have the same content. All text is
 * escaped. The mail loads only the given images and reveals neither the fields nor the code of the pass. The same input
 * gives the same mail.
 * @throws RangeError for an unreadable colour or an invalid `webUrl`
 */
export function passMail(renderTemplate: RenderTemplate, pass: RenderPass, context: PassMailContext): PassMail {
  const wanted = wantedInMail(context.language, pass);
  const shown = forReader(renderTemplate, pass, wanted, context.ownLanguage);
  return bothForms(mailView(shown.template, shown.pass, context));
}

/** Renders a mail as HTML and as text. */
export function bothForms(view: MailView): PassMail {
  const start = view.direction === 'rtl' ? 'right' : 'left';
  const html = eta.render(template, { ...view, start, dark: grounds.dark });
  return { subject: view.subject, text: textOf(view), html };
}

/** The marks after a label and between the parts of a value, in languages that do not write `: ` and `, `. */
const punctuation: Readonly<Record<string, { colon: string; comma: string }>> = {
  ar: { colon: ': ', comma: '، ' },
  fr: { colon: '\u00a0: ', comma: ', ' },
  ja: { colon: '：', comma: '、' },
};

function textOf(view: MailView): string {
  const { colon, comma } = punctuation[view.language] ?? { colon: ': ', comma: ', ' };
  const end = colon.trimEnd();
  const { before, after } = view.sentBy;
  const heading = view.message?.heading;
  const said =
    view.message && heading ? [`${heading.before}${view.issuer}${heading.after}${end}`, ...view.message.lines] : [];
  const facts = view.facts.map(
    ({ label, main, more }) => `${label}${colon}${[main, more].filter(Boolean).join(comma)}`,
  );
  const paragraphs = [
    [view.title, view.issuer],
    said,
    [...facts, ...view.validity],
    [view.lead],
    [`${view.open}${end}`, view.webUrl],
    view.actions.map(({ words, href }) => `${words}${colon}${href}`),
    [`${before}${view.issuer}${after}`],
  ];
  const shown = paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}
