import fc from 'fast-check';
import { renderEmail, type EmailContent } from './email-template.js';

const url = 'https://passes.example.com/password/reset?code=a&b="c"';
const content: EmailContent = {
  subject: 'Choose a new password',
  heading: 'A new password',
  paragraphs: ['A user asked for it.', { points: ['This stops.'] }, { steps: ['Do this.', 'Then that.'] }],
  facts: [['From', '192.0.2.1']],
  button: { label: 'Choose a password', url },
  footnotes: ['Ignore it otherwise.'],
};

/** Returns the visible text of the HTML, one line per element. */
function shown(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html
    .replace(/<head>.*<\/head>|<!--.*?-->/gs, '')
    .replace(/<[^>]+>/g, '\n')
    .replace(/&([a-z]+|#39);/g, (_, name: string) => entities[name] ?? '?');
}

it('an e-mail has the same content in plain text and in HTML, and the plain text has the button’s URL on its own line', () => {
  const { subject, text, html } = renderEmail(content);
  expect(subject).toBe('Choose a new password');
  expect(text).toBe(`A new password

A user asked for it.

- This stops.

1. Do this.
2. Then that.

From: 192.0.2.1

Choose a password:
${new URL(url).href}

Ignore it otherwise.
`);
  const words = text.split(/\n(?:- |\d\. )?|: |:$/m).filter(Boolean);
  const seen = shown(html).split('\n');
  for (const said of words) expect(seen).toContain(said);
});

it('an e-mail does not load anything, and links only to the URL of its button', () => {
  const { html } = renderEmail(content);
  expect(html).not.toMatch(/<(img|link|script|iframe|form)|url\(|@import|@font-face/i);
  expect(html.match(/https?:[^\s<"]*/g)).toEqual([expect.any(String), expect.any(String)]);
  expect(html).toContain(`href="${new URL(url).href.replaceAll('&', '&amp;')}"`);
});

it('an e-mail supports dark mode and narrow screens', () => {
  const { html } = renderEmail(content);
  expect(html).toContain('@media (prefers-color-scheme: dark)');
  expect(html).toContain('@media (max-width: 480px)');
  expect(html).toContain('width=device-width');
});

it('a text in an e-mail cannot add a tag, a line or a header', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constantFrom('<b>x</b>', '"><script>', '\r\nBcc: x@example.com', '<%= it %>', '\u202emoc\u2028Bcc: a', '&lt;'),
  );
  const plain = renderEmail(blank('x'));
  fc.assert(
    fc.property(hostile, (text) => {
      const { subject, text: lines, html } = renderEmail(blank(`x${text}x`));
      expect(subject.length).toBeLessThanOrEqual(255);
      expect(subject).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e]/u);
      expect(lines.split('\n')).toHaveLength(plain.text.split('\n').length);
      expect(lines).not.toMatch(/[^\P{Cc}\n]|[\u2028\u2029]/u);
      expect(tagsOf(html)).toEqual(tagsOf(plain.html));
    }),
  );
});

function blank(text: string): EmailContent {
  const parts = { paragraphs: [text, { points: [text] }, { steps: [text] }], facts: [[text, text] as const] };
  const button = { label: text, url: 'https://passes.example.com/' };
  return { subject: text, heading: text, ...parts, button, footnotes: [text] };
}

function tagsOf(html: string): string[] {
  return html.match(/<[^>]*>/g) ?? [];
}
