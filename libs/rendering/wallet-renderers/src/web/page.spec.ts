import fc from 'fast-check';
import { parseColour } from '../colour.js';
import { contrastOf } from '../contrast.js';
import type { RenderPass, RenderTemplate } from '../model.js';
import {
  anyTemplateAndPass,
  aField,
  aLocation,
  aPass,
  aTemplate,
  awkwardText,
  aWebContext,
  renderTypes,
} from '../render.fixtures.js';
import { barcodeSvg, qrCodeSvg } from './barcode.js';
import type { WebPageContext } from './page-context.js';
import { phrasesOf, webLanguages } from './languages.js';
import { palettes } from './page-style.js';
import { hashOf } from './page-policy.js';
import { pageScript } from './page-script.js';
import { webPage } from './page.js';
import type { Device } from './user-agent.js';
import { rejectionPage } from './rejection-page.js';

const images = {
  icon: 'https://passes.example.com/images/icon.png',
  logo: 'https://passes.example.com/images/logo.png',
  banner: 'https://cdn.example.com/banner.png',
  preview: { url: 'https://cdn.example.com/preview.jpg', width: 1200, height: 630 },
};

const noWallets = { apple: null, google: null, web: 'https://passes.example.com/p/a/t/p' };

function html(template: RenderTemplate, pass: RenderPass, changes: Partial<WebPageContext> = {}): string {
  return webPage(template, pass, aWebContext(changes)).html;
}

function offerPage(changes: Partial<RenderPass> = {}, context: Partial<WebPageContext> = {}): string {
  return html(aTemplate('offer'), aPass('offer', changes), context);
}

/** Returns the tags of a page without texts and attributes. */
const elements = (page: string) => page.match(/<[/!]?[a-zA-Z][^\s>]*/g);

const escaped = (text: string) =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');

describe('a page', () => {
  it.each(renderTypes)('a page of type %s shows title, issuer, merged fields, back fields and code', (type) => {
    const page = html(aTemplate(type), aPass(type));
    const back = ['Doors close at ten.', 'HH-2026-000042'];
    const texts = ['Autumn concert', 'Harbour Hall', 'Row', '>7<', '>14<', 'Gate', ...back];
    for (const text of texts) expect(page).toContain(text);
    expect(page).not.toContain('>12<');
    expect(page).toContain(qrCodeSvg('HH-2026-000042'));
  });

  it('a page shows a translated pass and its title in the language that the reader asks for', () => {
    const template = aTemplate('offer', { translations: { sv: { title: 'Höstkonsert', 'fields.row.label': 'Rad' } } });
    const reader = { language: 'en', locale: 'en-GB', device: 'desktop', inApp: false } as const;
    const swedish = html(template, aPass('offer'), { reader: { ...reader, languages: ['sv-FI', 'en'] } });
    expect(swedish).toContain('<title>Höstkonsert · Harbour Hall</title>');
    expect(swedish).toContain('>Rad<');
    expect(html(template, aPass('offer'), { reader: { ...reader, languages: ['en', 'sv'] } })).toContain('>Row<');
    expect(html(template, aPass('offer'), { reader })).toBe(html(aTemplate('offer'), aPass('offer'), { reader }));
  });

  it('the page of an event shows date and place', () => {
    const page = html(aTemplate('event'), aPass('event'));
    // Ten o'clock UTC is eleven in Hamburg.
    expect(page).toMatch(/<b>Saturday,? 21 November 2026<\/b> <span>11:00 (CET|GMT\+1)<\/span>/);
    expect(page).toContain('<b dir="auto">Harbour Hall</b> <span dir="auto">Quay 1, Hamburg</span>');
  });

  it('a page shows the artwork of a template instead of the banner', () => {
    const artwork = 'https://cdn.example.com/artwork.webp';
    const { html: page, contentSecurityPolicy } = webPage(
      aTemplate('membership'),
      aPass('membership'),
      aWebContext({ images: { ...images, artwork } }),
    );
    expect(page).toContain(`<img class="artwork" src="${artwork}" alt="" width="1074" height="1344">`);
    expect(page).not.toContain('class="banner"');
    expect(contentSecurityPolicy).toContain('https://cdn.example.com');
    expect(offerPage({}, { images })).toContain('class="banner"');
  });

  it('the page of a membership shows its primary value', () => {
    const page = html(aTemplate('membership'), aPass('membership'));
    expect(page).toContain('<dt dir="auto">Member</dt><dd dir="auto">Ada Lovelace</dd>');
  });

  it('a page keeps personal data out of link previews', () => {
    const head = html(aTemplate('membership'), aPass('membership')).split('<style>')[0];
    expect(head).toContain('<meta property="og:title" content="Autumn concert">');
    expect(head).not.toContain('Ada Lovelace');
    expect(head).not.toContain('HH-2026-000042');
  });

  it('a page without coordinates shows times in UTC and labels them UTC', () => {
    const template = aTemplate('offer', { locations: [] });
    expect(html(template, aPass('offer'))).toMatch(
      /Valid until <time datetime="2026-12-31T23:00:00\.000Z" data-local="en-GB">31 December 2026(,| at) 23:00 UTC<\/time>\./,
    );
  });

  it('a page is the same for the same input', () => {
    expect(webPage(aTemplate('event'), aPass('event'), aWebContext())).toEqual(
      webPage(aTemplate('event'), aPass('event'), aWebContext()),
    );
  });

  it('a page says "Development only" only if its Apple package has a development signature', () => {
    expect(offerPage({}, { development: true })).toContain('Development only');
    expect(offerPage()).not.toContain('Development only');
  });
});

it('a page shows when the doors of an event open and when it ends, with the date if needed', () => {
  const times = { doorsOpen: new Date('2026-11-21T09:30:00.000Z'), endDate: new Date('2026-11-21T23:30:00.000Z') };
  const page = html(aTemplate('event', times), aPass('event'));
  expect(page).toMatch(/<dt>Doors open<\/dt><dd>10:30 (CET|GMT\+1)<\/dd>/);
  expect(page).toMatch(/<dt>Ends<\/dt><dd>22 November 2026(,| at) 00:30 (CET|GMT\+1)<\/dd>/);
  expect(html(aTemplate('event'), aPass('event'))).not.toMatch(/Doors open|Ends/);
});

it('a page shows only the day of an event that starts without a time of day', () => {
  const times = { startDay: '2026-11-21', startDate: new Date('2026-11-20T23:00:00.000Z') };
  const page = html(aTemplate('event', times), aPass('event'));
  expect(page).toMatch(/<time datetime="2026-11-21"><b>Saturday,? 21 November 2026<\/b><\/time>/);
});

it("a page shows an event without a known zone in UTC, even if the pass's locations have a zone", () => {
  const nowhere = { location: null, locations: [] };
  const pass = aPass('event', { locations: [aLocation({ latitude: 40.7505, longitude: -73.9934 })] });
  expect(html(aTemplate('event', nowhere), pass)).toMatch(/21 November 2026<\/b> <span>10:00 UTC<\/span>/);
  const day = { ...nowhere, startDay: '2026-11-21', startDate: new Date('2026-11-21T00:00:00.000Z') };
  expect(html(aTemplate('event', day), pass)).toMatch(/<b>Saturday,? 21 November 2026<\/b>/);
});

describe('the code', () => {
  it.each([
    ['qr', 'HH-42', 'QR code of this pass: HH-42', 'qr', ''],
    ['pdf417', 'Ж-42', 'Barcode of this pass (PDF417): Ж-42', 'pdf417', ' class="wide"'],
    ['aztec', 'Ж-42', 'Barcode of this pass (Aztec): Ж-42', 'aztec', ''],
    ['code128', '$&{code}', 'Barcode of this pass (Code 128): $&amp;{code}', 'code128', ' class="wide"'],
    ['code39', 'HH-42', 'Barcode of this pass (Code 39): HH-42', 'code39', ' class="wide"'],
    ['codabar', '31117', 'Barcode of this pass (Codabar): 31117', 'codabar', ' class="wide"'],
    ['ean13', '4006381333931', 'Barcode of this pass (EAN-13): 4006381333931', 'ean13', ' class="wide"'],
    ['itf', '123456', 'Barcode of this pass (ITF): 123456', 'itf', ' class="wide"'],
    // The template's format changed after the pass was issued.
    ['code128', 'Ж-42', 'QR code of this pass: Ж-42', 'qr', ''],
    ['qr', '東'.repeat(34), `QR code of this pass: ${'東'.repeat(34)}`, 'qr', ' class="dense"'],
    ['pdf417', 'x'.repeat(601), `QR code of this pass: ${'x'.repeat(601)}`, 'qr', ' class="dense"'],
  ] as const)('a %s code with the text %j has the description «%s»', (codeFormat, code, label, shown, shape) => {
    const page = html(aTemplate('offer', { codeFormat }), aPass('offer', { code }));
    expect(page).toContain(`<figure${shape}>`);
    expect(page).toContain(`aria-label="${label}">${barcodeSvg(shown, code)}`);
  });
});

describe('the actions', () => {
  const actions = [
    { type: 'viewOffersRewards', url: 'https://harbour.example/?a=1&b=2' },
    { type: 'call', url: 'tel:+49 40 1234' },
  ] as const;
  const links = (page: string) =>
    [...page.matchAll(/<a class="action" href="([^"]*)"[^>]*>([^<]*)</g)].map((m) => m.slice(1));

  it("a page has a button for each action in its reader's language, even for an ended pass", () => {
    const template = aTemplate('offer', { actions });
    const inEnglish = [
      ['https://harbour.example/?a=1&amp;b=2', 'View offers and rewards'],
      ['tel:+49401234', 'Call'],
    ];
    expect(links(html(template, aPass('offer')))).toEqual(inEnglish);
    expect(links(html(template, aPass('offer', { voidedAt: new Date(0) })))).toEqual(inEnglish);
    const reader = { ...aWebContext().reader, language: 'fr', locale: 'fr' } as const;
    expect(links(html(template, aPass('offer'), { reader }))[1]).toEqual(['tel:+49401234', 'Appeler']);
  });

  it('a button of an action opens the address in the language of the reader', () => {
    const translations = { de: { 'actions.0.url': 'https://shop.example.com/de' } };
    const template = aTemplate('offer', {
      actions: [{ type: 'shop', url: 'https://shop.example.com/' }],
      translations,
    });
    const reader = { ...aWebContext().reader, languages: ['de'] };
    expect(links(html(template, aPass('offer'), { reader }))).toEqual([['https://shop.example.com/de', 'Shop online']]);
    expect(links(html(template, aPass('offer')))).toEqual([['https://shop.example.com/', 'Shop online']]);
  });

  it('a page without actions has no list of actions', () => {
    expect(html(aTemplate('offer', { actions }), aPass('offer', { actions: [] }))).not.toContain('id="buttons"');
    expect(offerPage()).not.toContain('id="buttons"');
  });
});

describe('other passes', () => {
  const other = {
    title: 'Parking <1>',
    issuerName: 'Harbour Hall',
    detail: 'A & B',
    iconUrl: 'https://icons.example/i.png',
    ended: null,
    webUrl: 'https://passes.example.com/p/a/t/p2?x=1&y=2',
  };
  const related = {
    passes: [other, { ...other, iconUrl: null, ended: 'It is over.' }],
    allUrl: 'https://a.example/?b=1&c',
  };

  it('a page lists other passes as escaped links, and loads only their icons', () => {
    const { html: page, contentSecurityPolicy } = webPage(aTemplate('offer'), aPass('offer'), aWebContext({ related }));
    const list = /<nav id="related"[^]*?<\/nav>/.exec(page)![0];
    expect(list.match(/href="[^"]*"/g)).toEqual(
      ['https://a.example/?b=1&c', other.webUrl, other.webUrl].map((url) => `href="${escaped(url)}"`),
    );
    for (const text of ['>Your passes<', escaped(other.title), escaped('Harbour Hall · A & B'), '<p>It is over.</p>']) {
      expect(list).toContain(text);
    }
    expect(list.match(/<img /g)).toHaveLength(1);
    expect(contentSecurityPolicy).toMatch(/img-src [^;]*https:\/\/icons\.example/);
  });

  it.each([undefined, null])('a page without other passes (%s) has no list of passes', (none) => {
    expect(offerPage({}, { related: none })).not.toContain('id="related"');
  });
});

describe('the state', () => {
  const past = new Date('2026-11-01T08:05:00.000Z');
  const future = new Date('2026-12-01T08:05:00.000Z');

  it.each([
    ['valid', { expiresAt: null }, /This pass is valid\./, true],
    ['valid for a time', { expiresAt: future }, /Valid until 1 December 2026(,| at) 09:05 (CET|GMT\+1)\./, true],
    ['not valid yet', { validFrom: future }, /It becomes valid on 1 December 2026(,| at) 09:05/, true],
    ['expired', { expiresAt: past }, /This pass expired on 1 November 2026(,| at) 09:05/, false],
    ['redeemed', { redeemedAt: past }, /This pass was used on 1 November 2026(,| at) 09:05/, false],
    ['voided', { voidedAt: past }, /This pass is no longer valid\./, false],
  ])('a page describes the state «%s», and offers a wallet only for a usable pass', (_, changes, words, offered) => {
    const page = offerPage(changes);
    expect(page).toMatch(words);
    for (const wallet of ['Apple', 'Google']) expect(page.includes(`>Add to ${wallet} Wallet</a>`)).toBe(offered);
  });

  it('a page of a pass without a package offers no wallet', () => {
    expect(offerPage({}, { urls: noWallets })).not.toContain('Add to');
  });
});

describe('untrusted text', () => {
  it('a page escapes any text in elements and attributes', () => {
    const pageOf = (title: string, value: string, code: string) =>
      html(
        aTemplate('offer', {
          title,
          issuerName: value,
          fields: [aField('a', title, value)],
          backFields: [aField('b', value, title)],
        }),
        aPass('offer', { code, fields: [], backFields: [] }),
        { urls: noWallets },
      );
    const plain = elements(pageOf('title', 'value', 'code'));
    // A page leaves out a front field with a blank value.
    const visible = awkwardText.filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(awkwardText, visible, awkwardText, (title, value, code) => {
        const page = pageOf(title, value, code);
        expect(elements(page)).toEqual(plain);
        for (const text of [title, value, code]) expect(page).toContain(escaped(text));
      }),
      { numRuns: 60 },
    );
  });

  it('no text adds a script, an event handler or an inline style to a page', () => {
    fc.assert(
      fc.property(anyTemplateAndPass, ({ template, pass }) => {
        const { html: page, contentSecurityPolicy } = webPage(template, pass, aWebContext({ images }));
        const tags = page.match(/<[a-z][^>]*>/g) ?? [];
        expect(tags.filter((tag) => /^<[^"]*(?:"[^"]*"[^"]*)*\s(?:on\w+|style)=/.test(tag))).toEqual([]);
        expect(inline(page, 'style')).toHaveLength(2);
        expect(inline(page, 'script')).toEqual([pageScript]);
        for (const hash of [...inline(page, 'style'), pageScript].map(hashOf))
          expect(contentSecurityPolicy).toContain(hash);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['https://harbour.example/help?a=1&b=2', 'href="https://harbour.example/help?a=1&amp;b=2"'],
    ['http://harbour.example/"onclick="alert(1)', 'href="http://harbour.example/%22onclick=%22alert(1)"'],
    ['tel:+49 40 1234', 'href="tel:+49401234"'],
    ['mailto:ada@example.com', 'href="mailto:ada@example.com"'],
  ])('a page turns a value that is an address into a link: %s', (value, link) => {
    expect(offerPage({ backFields: [aField('link', 'Link', value)] })).toContain(link);
  });

  it('a page turns the addresses within a text into links', () => {
    const text = 'See https://harbour.example/a?b=1&c, write to ada@example.com or call +49 40 12345.';
    const page = offerPage({ backFields: [aField('help', 'Help', text)] });
    for (const href of ['https://harbour.example/a?b=1&amp;c', 'mailto:ada@example.com', 'tel:+494012345']) {
      expect(page).toContain(`<a href="${href}" rel="nofollow noopener noreferrer" dir="ltr">`);
    }
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'https://', 'ftp://harbour.example', 'Row 4, 12'])(
    'a page does not turn this text into a link: %s',
    (value) => {
      const page = offerPage({ backFields: [aField('link', 'Link', value)] });
      expect(page.match(/<a [^>]*>/g)).toHaveLength(2);
    },
  );
});

describe('images', () => {
  it('a page shows the given images, and uses the banner in link previews', () => {
    const page = offerPage({}, { images });
    expect(page).toContain('<img class="logo" src="https://passes.example.com/images/logo.png" alt="Harbour Hall">');
    for (const tag of [
      '<meta property="og:image" content="https://cdn.example.com/preview.jpg">',
      '<meta property="og:image:width" content="1200">',
      '<meta property="og:image:height" content="630">',
      '<meta name="twitter:card" content="summary_large_image">',
    ]) {
      expect(page).toContain(tag);
    }
  });

  it('a link preview has the address of an event in one line', () => {
    const location = aLocation({ address: 'Quay 1\n20457 Hamburg' });
    const { html } = webPage(aTemplate('event', { location }), aPass('event'), aWebContext());
    expect(html).toMatch(/<meta property="og:description" content="[^"\n]*Harbour Hall, Quay 1, 20457 Hamburg">/);
  });

  it('a page works without images, and ignores an image address that is not http(s)', () => {
    for (const none of [{}, { logo: null, banner: 'javascript:alert(1)', icon: 'not an address' }]) {
      const page = offerPage({}, { images: none });
      expect(page).not.toContain('<img');
      expect(page).not.toContain('og:image');
      expect(page).toContain('<p class="issuer" dir="auto">Harbour Hall</p>');
    }
  });
});

describe('the content security policy', () => {
  it('the policy of a page allows only its style sheets and script, and the origins of its images', () => {
    const page = webPage(aTemplate('offer'), aPass('offer'), aWebContext({ images }));
    const [sheet = '', colours = ''] = inline(page.html, 'style').map(hashOf);
    expect(page.contentSecurityPolicy).toBe(
      `default-src 'none'; style-src ${sheet} ${colours}; script-src ${hashOf(pageScript)}; connect-src 'self'; ` +
        `img-src 'self' https://passes.example.com https://cdn.example.com data:; ` +
        `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it('the policy of a page without a pass allows only its style sheet', () => {
    const page = rejectionPage('notFound', { language: 'en', locale: 'en-GB' });
    expect(page.contentSecurityPolicy).toBe(
      `default-src 'none'; style-src ${inline(page.html, 'style').map(hashOf).join()}; img-src data:; ` +
        `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });
});

describe('the wallets', () => {
  const links = (device: Device, urls = aWebContext().urls) => {
    const page = offerPage({}, { urls, reader: { ...aWebContext().reader, device } });
    const found = page.matchAll(/<a class="(button|other)" href="[^"]*" rel="nofollow">Add to (\w+) Wallet</g);
    return { found: [...found].map(([, look, wallet]) => `${wallet} ${look}`), code: page.includes('scan this code') };
  };

  it.each([
    ['iphone', ['Apple button', 'Google other'], false],
    ['mac', ['Apple button', 'Google other'], true],
    ['android', ['Google button', 'Apple other'], false],
    ['desktop', ['Apple button', 'Google button'], true],
  ] as const)('a page on %s offers the wallets as %j', (device, found, code) => {
    expect(links(device)).toEqual({ found, code });
  });

  it('a page offers only available wallets', () => {
    expect(links('android', { ...noWallets, apple: 'https://a.example/' }).found).toEqual(['Apple button']);
    expect(links('iphone', { ...noWallets, google: 'https://g.example/' }).found).toEqual(['Google button']);
  });

  it('a page has a single notice about development credentials, even if both wallets have them', () => {
    const notes = (development: boolean, googleDevelopment: boolean) =>
      offerPage({}, { development, googleDevelopment }).match(/(Apple|Google) (?:did|does) not/g);
    expect(notes(true, false)).toEqual(['Apple did not']);
    expect(notes(false, true)).toEqual(['Google does not']);
    expect(notes(false, false)).toBeNull();
    const both = offerPage({}, { development: true, googleDevelopment: true });
    expect(both.match(/class="note"/g)).toHaveLength(1);
    expect(both).toContain('Apple Wallet and Google Wallet do not accept it');
  });

  it('a page inside an app starts with instructions and an address to copy', () => {
    const within = (device: Device) => offerPage({}, { reader: { ...aWebContext().reader, device, inApp: true } });
    expect(within('iphone')).toContain('then “Open in Safari”');
    expect(within('android')).toContain('then “Open in browser”');
    expect(within('iphone')).toContain('<p class="address" dir="ltr">https://passes.example.com/p/a/t/p</p>');
    expect(offerPage()).not.toContain('class="address"');
  });
});

describe.each(webLanguages)('a page in %s', (language) => {
  const reader = { ...aWebContext().reader, language, locale: language, inApp: true };

  it('a page shows all its fixed texts in the reader’s language', () => {
    const phrases = phrasesOf(language);
    const page = html(aTemplate('event'), aPass('event', { validFrom: new Date(0) }), {
      reader,
      development: true,
      googleDevelopment: true,
    });
    expect(page).toMatch(new RegExp(`^<!doctype html>\n<html lang="${language}" dir="(ltr|rtl)"`));
    const { when, where, details, addToApple, addToGoogle, scanPage, development } = phrases;
    for (const text of [when, where, details, addToApple, addToGoogle, scanPage, development]) {
      expect(page).toContain(`>${escaped(text)}<`);
    }
    expect(page).toContain('Autumn concert');
    if (language !== 'en') expect(page).not.toMatch(/Add to |Valid until|on your phone/);
  });

  it('a page without a pass is in the reader’s language', () => {
    const page = rejectionPage('deleted', reader).html;
    expect(page).toContain(escaped(phrasesOf(language).deletedText));
    expect(page).toContain(`<html lang="${language}"`);
  });
});

describe('the messages of a page', () => {
  const messages = [
    { title: 'Gate <b>', text: 'Use gate C.', sentAt: '2026-11-20T10:00:00.000Z' },
    { title: null, text: 'Doors open at six.', sentAt: '2026-11-19T10:00:00.000Z' },
  ];

  it("the page shows the holder's messages above the pass, newest first, with their dates", () => {
    const page = offerPage({ messages });
    const [gate, doors, card] = ['Use gate C.', 'Doors open at six.', 'id="pass"'].map((text) => page.indexOf(text));
    expect([gate, doors, card]).toEqual([gate, doors, card].sort((one = 0, other = 0) => one - other));
    expect(gate).toBeGreaterThan(0);
    expect(page).toContain('<b>Gate &lt;b&gt;</b>');
    expect(page).toContain('<time datetime="2026-11-20T10:00:00.000Z">20 November 2026');
  });

  it("a page marks message times for conversion to the reader's zone, if the time zone of the place is unknown", () => {
    const timeOf = (page: string) => /<time datetime="2026-11-20T10:00:00\.000Z"[^>]*>[^<]*/.exec(page)?.[0];
    const elsewhere = html(aTemplate('offer', { locations: [] }), aPass('offer', { messages }));
    expect(timeOf(elsewhere)).toMatch(/ data-local="en-GB">20 November 2026(,| at) 10:00 UTC$/);
    expect(timeOf(html(aTemplate('event'), aPass('event', { messages })))).not.toContain('data-local');
  });

  it.each([[null], [[]]])('a page of a pass whose messages are %j has no section for messages', (none) => {
    expect(offerPage({ messages: none })).toBe(offerPage());
    expect(offerPage()).not.toContain('id="messages"');
  });
});

describe.each(Object.entries(palettes))('the %s palette', (_, palette) => {
  it.each([
    ['text', 'page'],
    ['text', 'panel'],
    ['muted', 'panel'],
    ['link', 'panel'],
    ['buttonText', 'button'],
    ['goodText', 'good'],
    ['waitingText', 'waiting'],
    ['endedText', 'ended'],
  ] as const)('the contrast of the colour "%s" on the background "%s" is at least 4.5', (text, ground) => {
    expect(contrast(palette[text], palette[ground])).toBeGreaterThanOrEqual(4.5);
  });
});

function inline(page: string, element: 'style' | 'script'): string[] {
  return [...page.matchAll(new RegExp(`<${element}[^>]*>([^]*?)</${element}>`, 'g'))].map(([, text = '']) => text);
}

const contrast = (one: string, other: string) => contrastOf(parseColour(one)!, parseColour(other)!);
