import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { RenderPass, RenderTemplate } from '../model.js';
import {
  anyTemplateAndPass,
  aField,
  aPass,
  aTemplate,
  awkwardText,
  aWebContext,
  renderTypes,
} from '../render.fixtures.js';
import { humanDate } from './human-date.js';
import type { WebPageContext } from './page-context.js';
import { palettes } from './page-style.js';
import { webPage } from './page.js';
import { qrCodeSvg } from './qr-code.js';

const images = {
  icon: 'https://passes.example.com/images/icon.png',
  logo: 'https://passes.example.com/images/logo.png',
  banner: 'https://cdn.example.com/banner.png',
};

function html(template: RenderTemplate, pass: RenderPass, changes: Partial<WebPageContext> = {}): string {
  return webPage(template, pass, aWebContext(changes)).html;
}

function offerPage(changes: Partial<RenderPass> = {}, context: Partial<WebPageContext> = {}): string {
  return html(aTemplate('offer'), aPass('offer', changes), context);
}

/** The elements of a page, without texts and attributes. */
const elements = (page: string) => page.match(/<[/!]?[a-zA-Z][^\s>]*/g);

/** What a browser shows for escaped text. */
const escaped = (text: string) =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');

describe('a page', () => {
  it.each(renderTypes)('of type %s shows title, issuer, merged fields, back and code', (type) => {
    const page = html(aTemplate(type), aPass(type));
    for (const text of [
      'Autumn concert',
      'Harbour Hall',
      'Row',
      '>7<',
      '>14<',
      'Gate',
      'Doors close at ten.',
      'HH-2026-000042',
    ]) {
      expect(page).toContain(text);
    }
    expect(page).not.toContain('>12<');
    expect(page).toContain(qrCodeSvg('HH-2026-000042'));
  });

  it('of an event shows when and where', () => {
    const page = html(aTemplate('event'), aPass('event'));
    expect(page).toContain('21 November 2026, 10:00 UTC');
    expect(page).toContain('Harbour Hall, Quay 1, Hamburg');
  });

  it('of a membership shows its primary value', () => {
    const page = html(aTemplate('membership'), aPass('membership'));
    expect(page).toContain('<dt dir="auto">Member</dt><dd dir="auto">Ada Lovelace</dd>');
  });

  it('keeps what is personal out of link previews', () => {
    const head = html(aTemplate('membership'), aPass('membership')).split('<style>')[0];
    expect(head).toContain('<meta property="og:title" content="Autumn concert">');
    expect(head).not.toContain('Ada Lovelace');
    expect(head).not.toContain('HH-2026-000042');
  });

  it('is the same for the same input', () => {
    expect(webPage(aTemplate('event'), aPass('event'), aWebContext())).toEqual(
      webPage(aTemplate('event'), aPass('event'), aWebContext()),
    );
  });

  it('says so when its Apple package is signed by the development chain, and only then', () => {
    expect(offerPage({}, { development: true })).toContain('Development only');
    expect(offerPage()).not.toContain('Development only');
  });
});

describe('the state', () => {
  const past = new Date('2026-11-01T08:05:00.000Z');
  const future = new Date('2026-12-01T08:05:00.000Z');

  it.each([
    ['valid', { expiresAt: null }, 'This pass is valid.', true],
    ['valid for a time', { expiresAt: future }, 'Valid until 1 December 2026, 08:05 UTC.', true],
    ['not valid yet', { validFrom: future }, 'It becomes valid on 1 December 2026, 08:05 UTC.', true],
    ['expired', { expiresAt: past }, 'This pass expired on 1 November 2026, 08:05 UTC.', false],
    ['redeemed', { redeemedAt: past }, 'This pass was used on 1 November 2026, 08:05 UTC.', false],
    ['voided', { voidedAt: past }, 'This pass is no longer valid.', false],
  ])('%s is told in words, and a pass that has ended is not offered to the wallet', (_, changes, words, offered) => {
    const page = offerPage(changes);
    expect(page).toContain(words);
    expect(page.includes('>Add to Apple Wallet</a>')).toBe(offered);
  });

  it('without a package to be had, none is offered', () => {
    const urls = { apple: null, web: 'https://passes.example.com/p/a/t/p' };
    expect(offerPage({}, { urls })).not.toContain('Add to Apple Wallet');
  });
});

describe('untrusted text', () => {
  it('is escaped in elements and attributes, whatever it holds', () => {
    const urls = { apple: null, web: 'https://passes.example.com/p/a/t/p' };
    const pageOf = (title: string, value: string, code: string) =>
      html(
        aTemplate('offer', {
          title,
          issuerName: value,
          fields: [aField('a', title, value)],
          backFields: [aField('b', value, title)],
        }),
        aPass('offer', { code, fields: [], backFields: [] }),
        { urls },
      );
    const plain = elements(pageOf('title', 'value', 'code'));
    fc.assert(
      fc.property(awkwardText, awkwardText, awkwardText, (title, value, code) => {
        const page = pageOf(title, value, code);
        expect(elements(page)).toEqual(plain);
        for (const text of [title, value, code]) expect(page).toContain(escaped(text));
      }),
      { numRuns: 60 },
    );
  });

  it('never fails a page, and never brings in a script, a handler or another style', () => {
    fc.assert(
      fc.property(anyTemplateAndPass, ({ template, pass }) => {
        const { html: page, contentSecurityPolicy } = webPage(template, pass, aWebContext({ images }));
        const tags = page.match(/<[a-z][^>]*>/g) ?? [];
        expect(tags.filter((tag) => /^<script|^<[^"]*(?:"[^"]*"[^"]*)*\s(?:on\w+|style)=/.test(tag))).toEqual([]);
        expect(page.match(/<style>/g)).toHaveLength(1);
        expect(contentSecurityPolicy).toContain(`'sha256-${styleHash(page)}'`);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['https://harbour.example/help?a=1&b=2', 'href="https://harbour.example/help?a=1&amp;b=2"'],
    ['http://harbour.example/"onclick="alert(1)', 'href="http://harbour.example/%22onclick=%22alert(1)"'],
  ])('that is a web address becomes a link: %s', (value, link) => {
    expect(offerPage({ backFields: [aField('link', 'Link', value)] })).toContain(link);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'https://', 'see https://harbour.example', 'https://a b'])(
    'that is not a web address as a whole stays text: %s',
    (value) => {
      const page = offerPage({ backFields: [aField('link', 'Link', value)] });
      expect(page.match(/<a [^>]*>/g)).toHaveLength(1);
    },
  );
});

describe('images', () => {
  it('are shown where given, the banner in link previews', () => {
    const page = offerPage({}, { images });
    expect(page).toContain('<img class="logo" src="https://passes.example.com/images/logo.png" alt="Harbour Hall">');
    expect(page).toContain('<meta property="og:image" content="https://cdn.example.com/banner.png">');
  });

  it('are not needed, and an address that is not http(s) is left out', () => {
    for (const none of [{}, { logo: null, banner: 'javascript:alert(1)', icon: 'not an address' }]) {
      const page = offerPage({}, { images: none });
      expect(page).not.toContain('<img');
      expect(page).toContain('<p class="issuer" dir="auto">Harbour Hall</p>');
    }
  });
});

describe('the content security policy', () => {
  it('allows the one style sheet by its hash, the origins of the images, and nothing else', () => {
    const page = webPage(aTemplate('offer'), aPass('offer'), aWebContext({ images }));
    expect(page.contentSecurityPolicy).toBe(
      `default-src 'none'; style-src 'sha256-${styleHash(page.html)}'; ` +
        `img-src https://passes.example.com https://cdn.example.com; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it('allows no image where there is none', () => {
    expect(webPage(aTemplate('offer'), aPass('offer'), aWebContext()).contentSecurityPolicy).toContain(
      "img-src 'none'",
    );
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
  ] as const)('has %s on %s at a contrast of at least 4.5', (text, ground) => {
    expect(contrast(palette[text], palette[ground])).toBeGreaterThanOrEqual(4.5);
  });
});

it.each([
  ['2026-11-21T10:00:00.000Z', '21 November 2026, 10:00 UTC'],
  ['2027-01-01T00:05:59.999Z', '1 January 2027, 00:05 UTC'],
])('%s is written %s', (iso, text) => {
  expect(humanDate(new Date(iso))).toBe(text);
});

it('the longest codes still fit a QR code', () => {
  expect(qrCodeSvg('😀'.repeat(512))).toMatch(/^<svg viewBox/);
});

function styleHash(page: string): string {
  const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? '';
  return createHash('sha256').update(style).digest('base64');
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
