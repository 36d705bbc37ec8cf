import fc from 'fast-check';
import { codeFormats } from '../code-format.js';
import { barcodeSvg } from '../web/barcode.js';
import type { RenderPass, RenderTemplate } from '../model.js';
import { aField, anyTemplateAndPass, aPass, aTemplate, aWebContext, renderTypes } from '../render.fixtures.js';
import { readingFor, webLanguages } from '../web/languages.js';
import { pageView } from '../web/page-view.js';
import type { PreviewImage } from './preview-image.js';
import { layText } from './laid-text.js';
import { type PreviewContext, previewThemes, previewWallets } from './preview-context.js';
import { preview, samplePass } from './preview.js';
import { previewPage } from './preview-page.js';
import { Typeface } from './typeface.js';

const image: PreviewImage = { bytes: Buffer.from('not really'), mediaType: 'image/png', width: 300, height: 100 };
const images = { icon: image, logo: image, banner: image, background: image, thumbnail: image };
const aContext = (changes: Partial<PreviewContext> = {}): PreviewContext => ({
  wallet: 'apple',
  theme: 'light',
  images,
  now: new Date('2026-11-20T09:00:00.000Z'),
  ...changes,
});
const pictures = previewWallets.flatMap((wallet) => previewThemes.map((theme) => ({ wallet, theme })));

/** Returns the element names of a document. Throws if the elements are not nested and closed as XML requires. */
function elementsOf(svg: string): string[] {
  const tag = /<(\/?)([a-zA-Z]+)((?: [a-zA-Z:-]+="[^"<]*")*) ?(\/?)>/y;
  const text = /(?:[^<&\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|&(?:amp|lt|gt|quot|#39);)*/y;
  const [open, names]: string[][] = [[], []];
  for (let at = 0; at < svg.length;) {
    text.lastIndex = at;
    at += text.exec(svg)?.[0].length ?? 0;
    if (at === svg.length) break;
    tag.lastIndex = at;
    const [whole, closes, name = '', , closed] = tag.exec(svg) ?? [];
    if (whole === undefined) throw new Error(`No XML at ${at}: ${svg.slice(at, at + 80)}`);
    if (closes) expect(open!.pop()).toBe(name);
    else names!.push(name);
    if (!closes && !closed) open!.push(name);
    at += whole.length;
  }
  expect(open).toEqual([]);
  return names!;
}

describe('a picture of a pass', () => {
  it('a picture of any text is well-formed, limited in size and self-contained', () => {
    const known = new Set('svg title desc rect path g clipPath filter feColorMatrix image text'.split(' '));
    const any = fc.tuple(anyTemplateAndPass, fc.constantFrom(...pictures), fc.boolean());
    fc.assert(
      fc.property(any, ([{ template, pass }, which, bare]) => {
        const { svg, height } = preview(template, pass, aContext({ ...which, ...(bare && { images: {} }) }));
        expect(svg).not.toMatch(/\p{Cs}/u);
        expect(elementsOf(svg).filter((name) => !known.has(name))).toEqual([]);
        const links = [...svg.matchAll(/ href="([^"]{0,15})/g), ...svg.matchAll(/="url\(([^)]{0,15})/g)];
        expect(links.filter(([, to = '']) => !/^(?:data:image\/png|#)/.test(to))).toEqual([]);
        expect(svg).not.toMatch(/ (?:style|on\w+)="/);
        expect(height).toBeLessThan(2500);
        expect(svg.length).toBeLessThan(400_000);
      }),
      { numRuns: 60 },
    );
  });

  it.each(pictures)('a picture escapes hostile text: $wallet, $theme', (which) => {
    const evil = `</text><script>alert(1)</script><image href="https://evil.example/x.png"/>`;
    const template = aTemplate('event', { title: evil, issuerName: evil, fields: [aField('a', evil, evil)] });
    const { svg } = preview(template, aPass('event', { code: evil }), aContext(which));
    expect(elementsOf(svg)).not.toContain('script');
    expect(svg).not.toMatch(/href="http/);
    expect(svg).toContain('&lt;script&gt;alert(1)');
  });

  it.each(pictures)('a picture is the same for the same input: $wallet, $theme', (which) => {
    for (const type of renderTypes) {
      const draw = () => preview(aTemplate(type), aPass(type), aContext(which));
      expect(draw()).toEqual(draw());
    }
  });

  it('a picture lists the texts that the wallet cuts, with their source and the visible part', () => {
    const long = 'A title that is far too long for one line of any phone there is';
    const template = aTemplate('membership', { title: long, fields: [aField('tier', 'Tier', 'Gold')] });
    const pass = aPass('membership', { fields: [aField('note', 'Note', `first\nsecond`)], primaryValue: 'Ada' });
    const { cut } = preview(template, pass, aContext());
    expect(cut).toEqual([
      { in: 'template', path: '$.title', text: long, shown: expect.stringMatching(/^A title that .*…$/) },
      { in: 'pass', path: '$.fields[0].value', text: 'first\nsecond', shown: 'first…' },
    ]);
    expect(preview(template, pass, aContext({ wallet: 'web' })).cut).toEqual([]);
    const short = preview(aTemplate('offer', { title: '20 % off' }), aPass('offer'), aContext());
    expect(short.cut).toEqual([]);
  });

  it('a picture describes all its texts for screen readers', () => {
    for (const { wallet, theme } of pictures) {
      const { svg } = preview(aTemplate('generic'), aPass('generic'), aContext({ wallet, theme }));
      const [, description = ''] = /<desc[^>]*>([^<]*)<\/desc>/.exec(svg) ?? [];
      for (const text of ['Ada Lovelace', 'HH-2026-000042', 'B', '14']) expect(description).toContain(text);
    }
  });

  it('a picture of an ended pass looks different and shows that the pass has ended', () => {
    const pass = aPass('offer', { voidedAt: new Date(0) });
    for (const { wallet, theme } of pictures) {
      const ended = preview(aTemplate('offer'), pass, aContext({ wallet, theme })).svg;
      const valid = preview(aTemplate('offer'), aPass('offer'), aContext({ wallet, theme })).svg;
      expect(ended).not.toBe(valid);
      expect(/opacity="0\.\d+"|no longer valid/.test(ended)).toBe(true);
    }
  });

  it.each(pictures)('a picture shows the code in the barcode format of its template: $wallet, $theme', (which) => {
    for (const codeFormat of codeFormats) {
      const template = aTemplate('offer', { codeFormat });
      const { code } = samplePass(template);
      const { svg } = preview(template, aPass('offer', { code }), aContext(which));
      // The picture contains the same path as barcodeSvg, but at another position.
      expect(svg).toContain(barcodeSvg(codeFormat, code).replace(/^<svg /, ''));
    }
  });

  it('a picture of an iPhone before iOS 27 shows newer barcode formats as a QR code', () => {
    const newer = ['code39', 'codabar', 'ean13', 'itf'];
    for (const { wallet, theme } of pictures) {
      for (const codeFormat of codeFormats) {
        const template = aTemplate('offer', { codeFormat });
        const { code } = samplePass(template);
        const { svg } = preview(template, aPass('offer', { code }), aContext({ wallet, theme, system: 'ios26' }));
        const drawn = wallet === 'apple' && newer.includes(codeFormat) ? 'qr' : codeFormat;
        expect(svg).toContain(barcodeSvg(drawn, code).replace(/^<svg /, ''));
      }
    }
  });

  it('a picture shows an ITF code without 14 digits as a QR code in Google Wallet, and as ITF elsewhere', () => {
    for (const { wallet, theme } of pictures) {
      const template = aTemplate('offer', { codeFormat: 'itf' });
      const { svg } = preview(template, aPass('offer', { code: '1234' }), aContext({ wallet, theme }));
      expect(svg).toContain(barcodeSvg(wallet === 'google' ? 'qr' : 'itf', '1234').replace(/^<svg /, ''));
    }
  });

  describe('a picture of the web page', () => {
    const web = (template: RenderTemplate, pass: RenderPass, language = 'en') =>
      preview(template, pass, aContext({ wallet: 'web', language })).svg;
    const said = (svg: string) => /<desc[^>]*>([^<]*)<\/desc>/.exec(svg)?.[1] ?? '';

    it('a picture of the web page offers the same wallets as the page, but none for an ended pass', () => {
      const valid = web(aTemplate('offer'), aPass('offer'));
      expect(said(valid)).toMatch(/Add to Apple Wallet\nAdd to Google Wallet$/);
      expect(valid).not.toMatch(/opacity="0\.25"|filter=/);
      const ended = web(aTemplate('offer'), aPass('offer', { redeemedAt: new Date('2026-11-01T10:00:00.000Z') }));
      expect(said(ended)).not.toContain('Wallet');
      expect(ended).toContain('<g opacity="0.25"><svg ');
      expect(ended.match(/<g filter="url\(#web-light-grey\)">/g)).toHaveLength(4);
    });

    it.each(webLanguages)(
      'a picture of the web page shows the same state, date and place as the page: %s',
      (language) => {
        const template = aTemplate('event', { location: null });
        const view = pageView(
          template,
          aPass('event'),
          aWebContext({ reader: { ...aWebContext().reader, ...readingFor(language, undefined) } }),
        );
        const words = said(web(template, aPass('event'), language)).split('\n');
        expect(words).toContain(view.state.words);
        expect(words).toContain(`${view.phrases.when}: ${view.occasion?.day}, ${view.occasion?.time}`);
      },
    );

    it('a picture of the web page has the writing direction of the page', () => {
      const [left, right] = ['en', 'he'].map((language) => web(aTemplate('generic'), aPass('generic'), language));
      const logoOf = (svg = '') =>
        /<image x="([\d.]+)" y="[\d.]+" width="176" .*? preserveAspectRatio="(\w+)/.exec(svg)?.slice(1);
      expect(logoOf(left)).toEqual(['32', 'xMinYMid']);
      expect(logoOf(right)).toEqual(['207', 'xMaxYMid']);
    });

    it.each(['apple', 'google'] as const)(
      "the picture for %s is mirrored if the phone's language is Hebrew",
      (wallet) => {
        const middles = ['en', 'he'].map((language) => {
          const { svg } = preview(aTemplate('membership'), aPass('membership'), aContext({ wallet, language }));
          const [, x, width] = /<image x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/.exec(svg)?.map(Number) ?? [];
          return (x ?? 0) + (width ?? 0) / 2;
        });
        expect(middles[0]).toBeLessThan(200);
        expect(middles[1]).toBeCloseTo(415 - (middles[0] ?? 0));
      },
    );

    it('a picture of the web page has torn edges for an offer and a notch for an event', () => {
      const outlineOf = (type: RenderTemplate['type']) =>
        [...web(aTemplate(type), aPass(type)).matchAll(/<clipPath [^>]*><path[^>]* d="([^"]*)"/g)][0]?.[1] ?? '';
      const arcs = (type: RenderTemplate['type']) => outlineOf(type).match(/a/g)?.length;
      expect([arcs('generic'), arcs('event'), arcs('offer')]).toEqual([4, 5, 46]);
    });
  });

  it('a picture of Google Wallet has the close button and the menu on opposite sides', () => {
    const marks = (language: string) => {
      const { svg } = preview(aTemplate('offer'), aPass('offer'), aContext({ wallet: 'google', language }));
      const close = Number(/<path d="M(\d+) 25l14 14/.exec(svg)?.[1]);
      const menu = Number(/<rect x="(\d+(?:\.\d+)?)" y="24.2"/.exec(svg)?.[1]);
      return { close, menu };
    };
    expect(marks('en')).toEqual({ close: 25, menu: 381 });
    expect(marks('ar')).toEqual({ close: 415 - 25 - 14, menu: 415 - 381 - 3.6 });
  });

  it('a picture shows the wallets’ own texts in the requested language', () => {
    const ended = aPass('event', { voidedAt: new Date(0) });
    const svg = (wallet: 'apple' | 'google') =>
      preview(aTemplate('event'), ended, aContext({ wallet, language: 'ja' })).svg;
    for (const words of ['完了', '無効です。 ウォレットの']) expect(svg('apple')).toContain(words);
    for (const words of ['日時', '無効です。 「期限切れ']) expect(svg('google')).toContain(words);
  });

  it.each(pictures)('a picture shows the actions of a pass, in the requested language: $wallet, $theme', (which) => {
    const actions = [
      { type: 'bookCar', url: 'https://harbour.example/' },
      { type: 'call', url: 'tel:112' },
    ] as const;
    const draw = (template: RenderTemplate) =>
      preview(template, aPass('offer'), aContext({ ...which, language: 'es' }));
    const shown = draw(aTemplate('offer', { actions, translations: { es: { title: 'Concierto' } } }));
    expect(/<desc[^>]*>([^<]*)<\/desc>/.exec(shown.svg)?.[1]).toContain('Reservar un coche\nLlamar');
    expect(shown.height).toBeGreaterThan(draw(aTemplate('offer')).height + 100);
  });

  it('a picture of Google Wallet names actions in a language of the pass, not in the requested language', () => {
    const actions = [{ type: 'call', url: 'tel:112' }] as const;
    const draw = (wallet: 'apple' | 'google', template: Partial<RenderTemplate> = {}) =>
      preview(aTemplate('offer', { actions, ...template }), aPass('offer'), aContext({ wallet, language: 'es' })).svg;
    for (const own of [{}, { language: 'en' }]) expect(draw('google', own)).toContain('Call');
    expect(draw('google', { language: 'de', translations: { fr: { title: 'Soldes' } } })).toContain('Anrufen');
    expect(draw('apple')).toContain('Llamar');
  });

  it('a picture of a generic pass in Google Wallet has no wide logo, which would replace the title', () => {
    const wide: PreviewImage = { ...image, bytes: Buffer.from('wide'), width: 1280, height: 400 };
    const data = Buffer.from(wide.bytes).toString('base64');
    const has = (type: RenderTemplate['type']) => {
      const context = aContext({ wallet: 'google', images: { ...images, logo: wide } });
      return preview(aTemplate(type), aPass(type), context).svg.includes(data);
    };
    expect([has('generic'), has('offer')]).toEqual([false, true]);
  });

  describe('a picture of a pass with artwork', () => {
    const artwork: PreviewImage = { ...image, bytes: Buffer.from('portrait'), width: 716, height: 896 };
    const data = Buffer.from(artwork.bytes).toString('base64');
    const actions = [{ type: 'shop', url: 'https://harbour.example/' }] as const;
    const draw = (type: RenderTemplate['type'], changes: Partial<PreviewContext> = {}) =>
      preview(
        aTemplate(type, { actions }),
        aPass(type),
        aContext({ ...changes, images: { ...images, artwork, primaryLogo: image } }),
      ).svg;

    it.each(previewThemes)(
      'a picture is a poster on the current system and in the classic style on older systems: %s',
      (theme) => {
        const classic = preview(aTemplate('offer'), aPass('offer'), aContext({ theme, system: 'ios26' })).svg;
        const old = draw('offer', { theme, system: 'ios26' });
        expect(old).toBe(classic);
        const current = draw('offer', { theme, system: 'ios27' });
        expect(current).toContain(data);
        for (const words of ['Autumn concert', 'Row: 7'.toUpperCase(), 'Shop online']) expect(current).toContain(words);
        expect(old).not.toContain('Shop online');
        expect(current).toContain('as in Apple Wallet on iOS 27');
        expect(old).toContain('as in Apple Wallet on iOS 26 and earlier');
      },
    );

    it('a picture of an event is never a poster', () => {
      expect(draw('event')).not.toContain(data);
    });

    it('a picture of the web page shows the artwork, but a picture of Google Wallet does not', () => {
      expect(draw('generic', { wallet: 'web' })).toContain(data);
      expect(draw('generic', { wallet: 'google' })).not.toContain(data);
    });
  });

  it('a picture can show a sample pass of each template type', () => {
    for (const type of renderTypes) {
      const pass = samplePass(aTemplate(type));
      expect(pass.primaryValue).toBe(type === 'generic' || type === 'membership' ? 'Ada Lovelace' : null);
      expect(preview(aTemplate(type), pass, aContext()).svg).toContain('SAMPLE-0001');
    }
  });
});

describe('a text in its place', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.lorem({ maxCount: 30 }));
  const style = fc.record({ size: fc.integer({ min: 10, max: 46 }), maxLines: fc.constantFrom(1, 2, 6) });

  it('a text stays within its width and number of lines, and ends with … exactly when it is cut', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 60, max: 400 }), style, (written, width, { size, maxLines }) => {
        const laid = layText(written, width, { size, minSize: 10, maxLines });
        expect(laid.lines.length).toBeLessThanOrEqual(maxLines);
        expect(laid.lines.at(-1)?.endsWith('…') ?? false).toBe(laid.isCut || written.trimEnd().endsWith('…'));
        if (!laid.isOutlined) return;
        for (const line of laid.lines)
          expect(Typeface.of('regular').width(line) * laid.size).toBeLessThanOrEqual(width + 0.1);
      }),
      { numRuns: 300 },
    );
  });

  it('a text is shown in full if `maxLines` allows enough lines', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 20 }), fc.integer({ min: 150, max: 400 }), (written, width) => {
        const { lines, isCut } = layText(written, width, { size: 12, maxLines: 40 });
        expect(isCut).toBe(false);
        expect(lines.join(' ')).toBe(written);
      }),
    );
  });

  it('a text is made smaller before it is cut', () => {
    const { size, isCut } = layText('Ada Lovelace', 200, { size: 46, minSize: 20 });
    expect(isCut).toBe(false);
    expect(size).toBeGreaterThan(20);
    expect(size).toBeLessThan(46);
  });

  it('a text in a script without spaces breaks between any two characters, but not within a number', () => {
    const { lines } = layText('有効期限は2027年1月1日です', 6 * 0.58 * 2 * 20, { size: 20, maxLines: 4 });
    expect(lines).toEqual(['有効期限は', '2027年1月1日', 'です']);
  });

  it('a text is never cut within a visible character', () => {
    const family = '👩‍👩‍👧';
    const { lines, isCut } = layText(family.repeat(20), 100, { size: 20 });
    expect(isCut).toBe(true);
    expect(lines[0]?.replace('…', '').replaceAll(family, '')).toBe('');
  });

  it.each(['a', 'a ', '漢', '\u0301', '\n'])('layText does not measure the end of a very long text: %j', (unit) => {
    const [long, longer] = [2001, 1_000_000].map((count) => unit.repeat(Math.ceil(count / unit.length)));
    const measured = jest.spyOn(Typeface.prototype, 'covers');
    const lay = (text = '') => layText(text, 300, { size: 16, maxLines: 6 });
    expect(lay(longer)).toEqual(lay(long));
    for (const [text] of measured.mock.calls) expect(text.length).toBeLessThanOrEqual(2001);
    measured.mockRestore();
  });
});

describe('a picture of related passes', () => {
  const mate = { title: 'Late show', issuerName: 'Quay Hall', detail: 'Seat: 15', backgroundColor: '#0a7b3c' };
  const mates = (count: number) => Array.from({ length: count }, () => ({ ...mate, isInGroup: true }));
  const draw = (type: RenderTemplate['type'], changes: Partial<PreviewContext>) =>
    preview(aTemplate(type), aPass(type), aContext(changes));
  const dotsIn = (svg: string) => svg.match(/width="7" height="7" rx="3.5"/g)?.length ?? 0;

  it('a picture has dots for grouped passes: in Apple Wallet for events, in Google Wallet for all types', () => {
    const dots = (type: RenderTemplate['type'], wallet: PreviewContext['wallet'], count = 2) =>
      dotsIn(draw(type, { wallet, related: mates(count) }).svg);
    expect(renderTypes.map((type) => dots(type, 'apple'))).toEqual(
      renderTypes.map((type) => (type === 'event' ? 3 : 0)),
    );
    expect(renderTypes.map((type) => dots(type, 'google'))).toEqual(renderTypes.map(() => 3));
    expect([dots('event', 'web'), dots('event', 'google', 0), dots('event', 'google', 99)]).toEqual([0, 0, 10]);
    const linked = [{ ...mate, isInGroup: false }];
    expect(dotsIn(draw('event', { wallet: 'google', related: linked }).svg)).toBe(0);
  });

  it('a picture of the page lists the related passes with escaped texts, in the language of the page', () => {
    const evil = [{ ...mate, title: '<script>', detail: '', backgroundColor: 'red"/>', isInGroup: false }];
    for (const theme of previewThemes) {
      const plain = draw('offer', { wallet: 'web', theme });
      const { svg, height } = draw('offer', { wallet: 'web', theme, related: [...mates(1), ...evil] });
      expect(height).toBeGreaterThan(plain.height + 100);
      const [, description = ''] = /<desc[^>]*>([^<]*)<\/desc>/.exec(svg) ?? [];
      for (const text of ['Your passes', 'Late show: Quay Hall · Seat: 15', '&lt;script&gt;: Quay Hall']) {
        expect(description).toContain(text);
      }
      expect(elementsOf(svg)).not.toContain('script');
    }
    expect(draw('offer', { wallet: 'web', related: mates(1), language: 'de' }).svg).toContain('Ihre Pässe');
  });

  it('a picture in Arabic shows a dot for each pass of a group, and the text “1 / 3”', () => {
    const { svg } = draw('event', { wallet: 'google', related: mates(2), language: 'ar' });
    expect([dotsIn(svg), svg.includes('1 / 3')]).toEqual([3, true]);
  });
});

it('the preview page escapes findings, and its policy allows only its own style', () => {
  const template = aTemplate('offer', { title: '<b>bold</b>' });
  const finding = { rule: 'text-cut', in: 'template', path: '$.title', severity: 'warning', wallet: 'all' } as const;
  const { html, contentSecurityPolicy } = previewPage({
    title: template.title,
    pictures: pictures.map((which) => ({ ...which, preview: preview(template, aPass('offer'), aContext(which)) })),
    findings: [{ ...finding, message: '<img src=x>', fix: 'make it shorter' }],
  });
  expect(html.match(/<svg[^>]*role="img"/g)).toHaveLength(6);
  expect(html).not.toContain('<b>bold');
  expect(html).toContain('&lt;img src=x');
  expect(html).toContain('make it shorter');
  expect(contentSecurityPolicy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
