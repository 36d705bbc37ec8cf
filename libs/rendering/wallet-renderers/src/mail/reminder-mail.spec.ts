import fc from 'fast-check';
import { aTemplate, awkwardText } from '../render.fixtures.js';
import { webLanguages } from '../web/languages.js';
import { membershipNotice, reminderMail } from './reminder-mail.js';
import { reminderPhrases } from './reminder-phrases.js';

const webUrl = 'https://passes.example.com/p/a/t/p';
const logo = { url: 'https://passes.example.com/images/a/l.png', width: 480, height: 150 };
const context = { webUrl, images: { logo }, language: 'en' } as const;
const membership = { expiresAt: new Date('2026-12-31T23:00:00.000Z'), timeZone: 'Europe/Berlin' };

const seen = (html: string) =>
  html
    .replace(/<style>.*?<\/style>|<!--.*?-->/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.])/g, '$1');

describe('a reminder', () => {
  it('a reminder states issuer, title, expiry and address, in both text and HTML', () => {
    const { subject, html, text } = reminderMail(aTemplate('membership'), membership, context);
    expect(subject).toBe('Harbour Hall: your membership ends on 31 December 2026');
    for (const words of [
      'Harbour Hall',
      'Your membership ends on 31 December 2026.',
      'Open your pass',
      webUrl,
      'Sent by Harbour Hall. You receive this e-mail because you are a member.',
    ]) {
      expect(seen(html)).toContain(words);
      expect(text).toContain(words);
    }
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([webUrl]);
  });

  it("a reminder has the pass's own actions, or else the template's", () => {
    const call = { type: 'call', url: 'tel:+4722334455' } as const;
    const template = aTemplate('membership', { actions: [{ type: 'addToBalance', url: 'https://harbour.example/' }] });
    const of = (changes: object) => reminderMail(template, membership, { ...context, language: 'de', ...changes });
    for (const form of [of({}).text, seen(of({}).html)]) expect(form).toContain('Guthaben aufladen');
    expect(of({}).html).toContain('href="https://harbour.example/"');
    expect(of({ pass: { actions: [call] } }).text).toContain('Anrufen: tel:+4722334455');
    expect(of({ pass: { actions: [] } }).text).not.toContain('Guthaben');
  });

  it.each([
    ['2026-12-31T23:00:00.000Z', 'Europe/Berlin', '31 December 2026'],
    ['2026-12-31T22:59:59.999Z', 'Europe/Berlin', '31 December 2026'],
    ['2026-12-31T23:00:00.001Z', 'Europe/Berlin', '1 January 2027'],
    ['2026-12-31T23:00:00.000Z', 'America/New_York', '31 December 2026'],
    ['2011-12-30T10:00:00.000Z', 'Pacific/Apia', '29 December 2011'],
  ])(
    'a reminder names the last day in the time zone of the membership: the expiry %s in %s is %s',
    (expiresAt, timeZone, day) => {
      const { text } = reminderMail(aTemplate('offer'), { expiresAt: new Date(expiresAt), timeZone }, context);
      expect(text).toContain(`ends on ${day}.`);
    },
  );

  it('a reminder has the text direction and the date format of its language', () => {
    const texts = webLanguages.map((language) =>
      reminderMail(aTemplate('offer'), membership, { ...context, language }),
    );
    expect(new Set(texts.map(({ text }) => text)).size).toBe(webLanguages.length);
    expect(texts[webLanguages.indexOf('de')]?.text).toContain('Ihre Mitgliedschaft endet am 31. Dezember 2026.');
    expect(texts[webLanguages.indexOf('ja')]?.subject).toBe('Harbour Hall：会員資格は2026年12月31日に終了します');
    expect(texts[webLanguages.indexOf('he')]?.html).toContain('<html lang="he" dir="rtl">');
  });
});

it('a reminder escapes any text and keeps the subject on one line', () => {
  const tags = (html: string) => html.match(/<\/?[a-z!][^>]*>/gi)?.map((tag) => tag.split(' ')[0]);
  fc.assert(
    fc.property(awkwardText, awkwardText, fc.constantFrom(...webLanguages), (title, issuerName, language) => {
      const make = (texts: object) => reminderMail(aTemplate('offer', texts), membership, { ...context, language });
      const mail = make({ title, issuerName });
      expect(tags(mail.html)).toEqual(tags(make({ title: 'a', issuerName: 'b' }).html));
      expect(mail.text).not.toMatch(/[^\P{Cc}\n]/u);
      expect(mail.subject).toMatch(/^[^\p{Cc}\p{Cs}\u2028\u2029]{1,255}$/u);
    }),
    { numRuns: 100 },
  );
});

describe.each(webLanguages)('the phrases in %s', (language) => {
  const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

  it('the reminder phrases of every other language differ from the English phrases and have the same placeholders', () => {
    const { notices, ...others } = reminderPhrases[language];
    const { notices: english, ...originals } = reminderPhrases.en;
    const pairs = [...Object.values(others), ...notices].map((text, index) => {
      return [text, [...Object.values(originals), ...english][index]!] as const;
    });
    for (const [text, original] of pairs) {
      expect(placeholders(text)).toEqual(placeholders(original));
      if (language !== 'en') expect(text).not.toBe(original);
    }
  });

  it('the notice on the pass changes with every reminder, and never returns to the original text', () => {
    const notices = [0, 1, 2, 3, 4].map((reminders) => membershipNotice(membership, language, reminders));
    notices.slice(1).forEach((notice, index) => expect(notice).not.toBe(notices[index]));
    expect(notices.slice(1)).not.toContain(notices[0]);
    for (const notice of notices) expect(notice).toMatch(/2026|٢٠٢٦/);
  });
});
