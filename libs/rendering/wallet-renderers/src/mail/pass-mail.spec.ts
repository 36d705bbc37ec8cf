import fc from 'fast-check';
import { parseColour } from '../colour.js';
import { contrastOf } from '../contrast.js';
import { aLocation, anyColour, aPass, aTemplate, awkwardText, renderTypes } from '../render.fixtures.js';
import { webLanguages } from '../web/languages.js';
import { grounds, mailColours } from './mail-colours.js';
import { mailPhrases } from './mail-phrases.js';
import type { PassMailContext } from './mail-view.js';
import { passMail, passMailSubject } from './pass-mail.js';

const webUrl = 'https://passes.example.com/p/a/t/p';
const banner = { url: 'https://passes.example.com/images/a/b.png', width: 1032, height: 336 };
const logo = { url: 'https://passes.example.com/images/a/l.png', width: 480, height: 150 };

function aContext(changes: Partial<PassMailContext> = {}): PassMailContext {
  const now = new Date('2026-11-20T09:00:00.000Z');
  return { webUrl, images: { banner, logo }, language: 'en', subject: 'Your pass', message: null, now, ...changes };
}

/** Returns the visible text of HTML. */
const seen = (html: string) =>
  html
    .replace(/<style>.*?<\/style>|<!--.*?-->/gs, '')
    .replace(/<\/?bdi>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');

describe('a mail', () => {
  it('a pass mail states title, issuer, date, place, expiry and address, in both text and HTML', () => {
    const { html, text } = passMail(aTemplate('event'), aPass('event'), aContext({ message: 'See you there!\nAda' }));
    for (const words of [
      'Autumn concert',
      'Harbour Hall',
      'A message from Harbour Hall',
      'See you there!',
      '21 November 2026',
      '11:00 CET',
      'Quay 1, Hamburg',
      'Valid until 1 January 2027',
      'Open your pass',
      webUrl,
      'Sent by Harbour Hall.',
    ]) {
      expect(seen(html)).toContain(words);
      expect(text.replace(/\s+/g, ' ')).toContain(words);
    }
    expect(text).toContain('See you there!\nAda\n');
    expect(html).toMatch(/See you there!<br>\s*Ada/);
  });

  it.each([
    ['fr', /^Date\u00a0: samedi 21 novembre 2026, 11:00/m, 'Ouvrir le pass\u00a0:\nhttps:'],
    ['ar', /^المكان: Harbour Hall، Quay 1, Hamburg$/m, 'افتح البطاقة:\nhttps:'],
    ['ja', /：2026年11月21日[^,]*、/m, 'パスを開く：\nhttps:'],
  ] as const)('the text of a pass mail has the punctuation of its language: %s', (language, fact, button) => {
    const { text } = passMail(aTemplate('event'), aPass('event'), aContext({ language }));
    expect(text).toMatch(fact);
    expect(text).toContain(button);
  });

  it('a pass mail has one link to the page, and loads only banner and logo', () => {
    const { html } = passMail(aTemplate('offer'), aPass('offer'), aContext());
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([webUrl]);
    expect(
      [...html.matchAll(/<img src="([^"]*)" width="(\d+)" height="(\d+)" alt="([^"]+)"/g)].map((m) => m.slice(1)),
    ).toEqual([
      [banner.url, '600', '195', 'Autumn concert'],
      [logo.url, '154', '48', 'Harbour Hall'],
    ]);
    expect(html.match(/<img|url\(|<link|<script|@import/g)).toHaveLength(2);
  });

  it('a pass mail has a button for each action of its pass, in HTML and text', () => {
    const actions = [
      { type: 'shop', url: 'https://harbour.example/?a=1&b=2' },
      { type: 'call', url: 'tel:+49 40 1234' },
    ] as const;
    const { html, text } = passMail(aTemplate('offer', { actions }), aPass('offer'), aContext());
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      webUrl,
      'https://harbour.example/?a=1&amp;b=2',
      'tel:+49401234',
    ]);
    expect(seen(html)).toMatch(/Shop online\s+Call/);
    expect(text).toContain('\n\nShop online: https://harbour.example/?a=1&b=2\nCall: tel:+49401234\n\n');
  });

  it('a pass mail shows the issuer’s name in place of the logo if there are no images', () => {
    const { html } = passMail(aTemplate('offer'), aPass('offer'), aContext({ images: { banner: null } }));
    expect(html).not.toContain('<img');
    expect(seen(html)).toMatch(/Harbour Hall\s+Autumn concert/);
    const hostile = { ...banner, url: 'javascript:alert(1)' };
    expect(passMail(aTemplate('offer'), aPass('offer'), aContext({ images: { banner: hostile } })).html).not.toContain(
      '<img',
    );
  });

  it('a pass mail reveals no fields, code or serial number', () => {
    const template = aTemplate('membership');
    const pass = aPass('membership');
    const { html, text } = passMail(template, pass, aContext());
    for (const secret of [pass.code, pass.serialNumber, 'Ada Lovelace', 'No refunds', 'Seat']) {
      expect(html + text).not.toContain(secret);
    }
  });

  it("a pass mail joins the lines of the venue's address with commas", () => {
    const location = { ...aLocation(), address: 'Quay 1,\r\n20457 Hamburg\n\nGermany' };
    expect(passMail(aTemplate('event', { location }), aPass('event'), aContext()).text).toContain(
      'Harbour Hall, Quay 1, 20457 Hamburg, Germany\n',
    );
  });

  it('a pass mail states when a pass that is not yet valid will become valid', () => {
    const pass = aPass('offer', { validFrom: new Date('2026-12-01T08:00:00.000Z') });
    const { text } = passMail(aTemplate('offer'), pass, aContext());
    expect(text).toMatch(/not valid yet.*1 December 2026.*\nValid until/);
    expect(passMail(aTemplate('offer'), aPass('offer', { expiresAt: null }), aContext()).text).not.toContain('alid');
  });

  it.each(['ar', 'he'] as const)(
    'a pass mail is written from right to left in %s, except for the address',
    (language) => {
      const { html } = passMail(aTemplate('event'), aPass('event'), aContext({ language }));
      expect(html).toContain(`<html lang="${language}" dir="rtl">`);
      expect(html).not.toMatch(/text-align:left|align="left"/);
      expect(html).toMatch(new RegExp(`<p dir="ltr"[^>]*>${webUrl}</p>`));
    },
  );

  it('a pass mail is small enough that no mail program truncates it', () => {
    const long = '\n"&<'.repeat(250);
    const { html } = passMail(
      aTemplate('event', { title: '"'.repeat(200) }),
      aPass('event'),
      aContext({ message: long }),
    );
    expect(Buffer.byteLength(html)).toBeLessThan(102_000);
  });
});

it('a pass mail escapes any text', () => {
  const tags = (html: string) =>
    html
      .replace(/<br>\n/g, '')
      .match(/<\/?[a-z!][^>]*>/gi)
      ?.map((tag) => tag.split(' ')[0]);
  fc.assert(
    fc.property(
      fc.constantFrom(...renderTypes),
      fc.record({ title: awkwardText, issuerName: awkwardText, place: awkwardText, message: awkwardText }),
      fc.constantFrom(...webLanguages),
      (type, texts, language) => {
        const make = (of: typeof texts) => {
          const place = type === 'event' ? { name: of.place, address: of.place, latitude: 53.5, longitude: 10 } : null;
          const template = aTemplate(type, { title: of.title, issuerName: of.issuerName, location: place });
          const subject = passMailSubject(template, language);
          return passMail(template, aPass(type), aContext({ language, message: of.message, subject }));
        };
        const plain = make({ title: 'a', issuerName: 'b', place: 'c', message: 'd' });
        const mail = make(texts);
        expect(tags(mail.html)).toEqual(tags(plain.html));
        expect(mail.text).not.toMatch(/[^\P{Cc}\n]/u);
      },
    ),
    { numRuns: 150 },
  );
});

it('the subject of a pass mail is always a single line that mail servers accept', () => {
  const text = fc.oneof(awkwardText, fc.string({ unit: 'binary', maxLength: 200 }), fc.constant('👩‍👩‍👧'.repeat(60)));
  fc.assert(
    fc.property(
      text,
      text,
      fc.option(text),
      fc.constantFrom(...webLanguages),
      (issuerName, title, wanted, language) => {
        const subject = passMailSubject({ issuerName, title }, language, wanted);
        expect(subject).toMatch(/^[^\p{Cc}\p{Cs}\u2028\u2029]{1,255}$/u);
        expect(subject.length).toBeLessThanOrEqual(255);
      },
    ),
  );
});

it('a title, issuer or subject of a pass mail cannot change the direction of the text around it', () => {
  const turning = /[\u202a-\u202e\u2066-\u2069]/;
  const [issuerName, title] = ['Harbour\u202e Hall', 'Autumn\u2067\u202d concert'];
  const subject = passMailSubject({ issuerName, title }, 'en');
  expect(subject).toBe('Your pass from Harbour Hall: Autumn concert');
  expect(passMailSubject({ issuerName, title }, 'en', 'For \u202emoc')).toBe('For moc');
  const { html, text } = passMail({ ...aTemplate('event'), issuerName, title }, aPass('event'), aContext({ subject }));
  expect(html).not.toMatch(turning);
  expect(text).not.toMatch(turning);
});

it('the subject of a pass mail names issuer and title unless the sender sets another subject', () => {
  const template = { issuerName: 'Harbour Hall', title: 'Autumn $& {issuer}' };
  expect(passMailSubject(template, 'en')).toBe('Your pass from Harbour Hall: Autumn $& {issuer}');
  expect(passMailSubject(template, 'de', 'Bis morgen')).toBe('Bis morgen');
  expect(passMailSubject(template, 'en', '\u2028 ')).toContain('Harbour Hall');
});

it('a pass mail shows the link to the related passes above the links of the actions', () => {
  const actions = [{ type: 'shop', url: 'https://harbour.example/shop' }] as const;
  const togetherUrl = 'https://passes.example.com/p/a/bundle?pass=t%3Ap&pass=t%3Aq';
  const mail = (changes: Partial<PassMailContext>) =>
    passMail(aTemplate('offer', { actions }), aPass('offer'), aContext(changes));
  const { html, text } = mail({ togetherUrl, language: 'de' });
  expect(text).toContain(`Ihre Pässe: ${togetherUrl}\nOnline einkaufen: https://harbour.example/shop`);
  expect(html).toContain(`href="${togetherUrl.replace('&', '&amp;')}"`);
  expect(mail({ togetherUrl: null })).toEqual(mail({}));
  expect(mail({}).text).not.toContain('bundle');
});

it('a pass mail has a readable, visible button in any colours, on light and dark backgrounds', () => {
  const contrast = (one: string, other: string) => contrastOf(parseColour(one)!, parseColour(other)!);
  fc.assert(
    fc.property(anyColour, anyColour, (foregroundColor, backgroundColor) => {
      const { button } = mailColours({ foregroundColor, backgroundColor, labelColor: null });
      for (const ground of ['light', 'dark'] as const) {
        const { background, text } = button[ground];
        expect(contrast(background, text)).toBeGreaterThan(4.45);
        expect(contrast(background, grounds[ground])).toBeGreaterThanOrEqual(3);
      }
    }),
  );
});

describe.each(webLanguages)('the phrases in %s', (language) => {
  const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

  it('the mail phrases of every other language differ from the English phrases and have the same placeholders', () => {
    for (const [name, text] of Object.entries(mailPhrases[language])) {
      const original = mailPhrases.en[name as keyof typeof mailPhrases.en];
      expect({ name, found: placeholders(text) }).toEqual({ name, found: placeholders(original) });
      if (language !== 'en') expect(text).not.toBe(original);
    }
  });
});
