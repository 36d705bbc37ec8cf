import type { Mail } from '@passwright/core';
import { oneLine, shortened } from '@passwright/wallet-renderers';
import { Eta } from 'eta';
import { emailTemplateHtml } from './email-template-html.js';

/** One part of an e-mail: a paragraph, a list, or numbered steps. */
export type EmailPart = string | { readonly points: readonly string[] } | { readonly steps: readonly string[] };

/** The content of an e-mail, in order of appearance. All of it is plain text; HTML in it is escaped. */
export interface EmailContent {
  /** Cut to 255 characters. */
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly EmailPart[];
  readonly facts?: readonly (readonly [name: string, value: string])[];
  /** `url` is absolute, http or https. */
  readonly button?: { readonly label: string; readonly url: string };
  /** Small print: why the recipient gets the mail, and what to do if it does not concern them. */
  readonly footnotes?: readonly string[];
}

const MAX_SUBJECT = 255;
const eta = new Eta({ autoEscape: true });
const template = eta.compile(emailTemplateHtml);

/**
 * Builds a mail of the service with the same content in plain text and in HTML. The HTML loads nothing, fits phones and
 * supports dark mode. Each text becomes one line, so that a name in it cannot start a paragraph, a header or a link.
 */
export function renderEmail(content: EmailContent): Pick<Mail, 'subject' | 'text' | 'html'> {
  const view = viewOf(content);
  return { subject: shortened(view.subject, MAX_SUBJECT), text: textOf(view), html: eta.render(template, view) };
}

interface EmailView {
  subject: string;
  heading: string;
  parts: { kind: 'text' | 'points' | 'steps'; lines: string[] }[];
  facts: { name: string; value: string }[];
  button: { label: string; url: string } | null;
  footnotes: string[];
}

function viewOf({ subject, heading, paragraphs, facts = [], button, footnotes = [] }: EmailContent): EmailView {
  return {
    subject: line(subject),
    heading: line(heading),
    parts: paragraphs.map((part) => {
      if (typeof part === 'string') return { kind: 'text', lines: [line(part)] };
      return 'points' in part
        ? { kind: 'points', lines: part.points.map(line) }
        : { kind: 'steps', lines: part.steps.map(line) };
    }),
    facts: facts.map(([name, value]) => ({ name: line(name), value: line(value) })),
    button: button ? { label: line(button.label), url: new URL(button.url).href } : null,
    footnotes: footnotes.map(line),
  };
}

function textOf({ heading, parts, facts, button, footnotes }: EmailView): string {
  const blocks = [
    heading,
    ...parts.map(({ kind, lines }) => lines.map((text, index) => `${mark(kind, index)}${text}`).join('\n')),
    ...(facts.length > 0 ? [facts.map(({ name, value }) => `${name}: ${value}`).join('\n')] : []),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...footnotes,
  ];
  return `${blocks.join('\n\n')}\n`;
}

function mark(kind: EmailView['parts'][number]['kind'], index: number): string {
  if (kind === 'text') return '';
  return kind === 'points' ? '- ' : `${index + 1}. `;
}

/**
 * Makes a text one line. Removes characters that change the direction of text, with which a name could change how the
 * sentence around it reads.
 */
function line(text: string): string {
  return oneLine(text.replace(/[\u202a-\u202e\u2066-\u2069\u2028\u2029]/g, ' '));
}
