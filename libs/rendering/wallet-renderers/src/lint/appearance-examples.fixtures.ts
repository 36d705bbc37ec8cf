import { aField } from '../render.fixtures.js';
import type { ExaminedImage, ExaminedImages } from '../finding.js';
import { colours, type Changes, type Example } from './lint-subject.fixtures.js';

type Shade = readonly [number, number, number, number];

const banner = (width: number, height: number): Changes => ({ images: { banner: { width, height } } });
const localised = (images: NonNullable<ExaminedImages['localised']>[string]): Changes => ({
  images: { localised: { de: images } },
});
/** Artwork whose upper and lower halves have different colours. */
const poster = (upper: Shade, lower: Shade): ExaminedImage => ({
  ...{ width: 1074, height: 1344 },
  pixels: { width: 1, height: 2, rgba: Uint8Array.from([...upper, ...lower]) },
});
/** A banner of three equal parts from left to right. */
const strip = (...parts: [left: Shade, middle: Shade, right: Shade]): ExaminedImage => ({
  ...{ width: 1125, height: 432 },
  pixels: { width: 3, height: 1, rgba: Uint8Array.from(parts.flat()) },
});
const plainStrip = (shade: Shade) => strip(shade, shade, shade);
const white: Shade = [255, 255, 255, 255];
const black: Shade = [0, 0, 0, 255];
const grey: Shade = [110, 110, 110, 255];
const clear: Shade = [255, 255, 255, 0];
const texts = (foregroundColor: string, labelColor: string | null = null) => ({ foregroundColor, labelColor });
const fourFields = Array.from({ length: 4 }, (_, index) => aField(`k${index}`, 'L', 'V'));

const artwork = (width: number, height: number): Changes => ({ images: { artwork: { width, height } } });

/** Examples for the rules on texts, colours and images. */
export const appearanceExamples: Record<string, Example> = {
  'text-missing': {
    failing: [
      [{ template: { title: '' } }, 'template $.title'],
      [{ template: { issuerName: '' } }, 'template $.issuerName'],
      [{ type: 'generic', template: { primaryLabel: null } }, 'template $.primaryLabel'],
    ],
    passing: [{ template: { primaryLabel: null } }],
  },
  'long-issuer-name': {
    failing: [[{ template: { issuerName: 'x'.repeat(41) } }, 'template $.issuerName']],
    passing: [{ template: { issuerName: 'x'.repeat(40) } }],
  },
  'long-title': {
    failing: [[{ template: { title: 'x'.repeat(101) } }, 'template $.title']],
    passing: [{ template: { title: 'x'.repeat(100) } }],
  },
  'primary-value-missing': {
    failing: [
      [{ type: 'generic', pass: { primaryValue: null } }, 'pass $.primaryValue'],
      [{ type: 'membership', pass: { primaryValue: '' } }, 'pass $.primaryValue'],
    ],
    passing: [{}, { type: 'generic' }],
  },
  'primary-value-unused': {
    failing: [[{ pass: { primaryValue: 'Ada' } }, 'pass $.primaryValue']],
    passing: [{ type: 'membership', pass: { primaryValue: 'Ada' } }],
  },
  'thumbnail-unused': {
    failing: [[{ pass: { thumbnailUrl: 'https://x.example/a.png' } }, 'pass $.thumbnail']],
    passing: [{ type: 'generic', pass: { thumbnailUrl: 'https://x.example/a.png' } }],
  },
  'colour-unreadable': {
    failing: [
      [colours('red', '#000'), 'template $.foregroundColor'],
      [colours('#fff', ''), 'template $.backgroundColor'],
      [colours('#fff', '#000', '#12'), 'template $.labelColor'],
    ],
    passing: [colours('#fff', 'rgb(0%, 0%, 0%)', null)],
  },
  'invisible-text': {
    failing: [
      [colours('#123', 'rgb(17, 34, 51)'), 'template $.foregroundColor'],
      [colours('#000', '#fff', '#fefefe'), 'template $.labelColor'],
      [colours('rgba(0, 0, 0, 0)', '#fff', '#000'), 'template $.foregroundColor'],
    ],
    passing: [colours('#777', '#fff', '#777')],
  },
  'low-contrast': {
    failing: [
      [colours('#aaa', '#fff', '#000'), 'template $.foregroundColor'],
      [colours('#fff', '#000', '#333'), 'template $.labelColor'],
    ],
    passing: [colours('#fff', '#fff'), colours('#777', '#fff', '#000')],
  },
  'weak-contrast': {
    failing: [[colours('#777', '#fff', '#000'), 'template $.foregroundColor']],
    passing: [colours('#767676', '#fff', '#000'), colours('#aaa', '#fff', '#000')],
  },
  'translucent-colour': {
    failing: [[colours('rgba(255, 255, 255, 0.9)', '#000'), 'template $.foregroundColor']],
    passing: [colours('rgba(255, 255, 255, 1)', '#000')],
  },
  'icon-missing': {
    failing: [[{ images: { icon: undefined } }, 'template $.icon']],
    passing: [{ images: { icon: null } }],
  },
  'image-not-found': {
    failing: [
      [{ images: { logo: 'missing' } }, 'template $.logo'],
      [{ images: { artwork: 'missing' } }, 'template $.artwork'],
      [localised({ banner: 'missing' }), 'template $.translations.de["images.banner"]'],
      [{ type: 'generic', images: { passThumbnail: 'missing' } }, 'pass $.thumbnail'],
    ],
    passing: [{ images: { logo: null } }],
  },
  'image-below-2x': {
    failing: [
      [banner(749, 288), 'template $.banner'],
      [artwork(715, 896), 'template $.artwork'],
      [{ images: { icon: { width: 75, height: 75 } } }, 'template $.icon'],
      [localised({ logo: { width: 160, height: 50 } }), 'template $.translations.de["images.logo"]'],
      [
        { images: { localised: { 'pt-BR': { artwork: { width: 358, height: 448 } } } } },
        'template $.translations["pt-BR"]["images.artwork"]',
      ],
      [{ type: 'generic', images: { passThumbnail: { width: 90, height: 90 } } }, 'pass $.thumbnail'],
    ],
    passing: [
      localised({ logo: { width: 480, height: 150 }, banner: null }),
      ...[banner(750, 288), artwork(716, 896)],
      { type: 'generic', images: { banner: { width: 10, height: 4 } } },
    ],
  },
  'image-below-3x': {
    failing: [
      [banner(1124, 432), 'template $.banner'],
      [artwork(1073, 1344), 'template $.artwork'],
      [{ type: 'generic', images: { passThumbnail: { width: 180, height: 180 } } }, 'pass $.thumbnail'],
    ],
    passing: [
      banner(1125, 432),
      banner(749, 288),
      artwork(1074, 1344),
      { images: { logo: { width: 480, height: 150 } } },
    ],
  },
  'image-cropped': {
    failing: [
      [banner(1200, 1200), 'template $.banner'],
      [artwork(2000, 1344), 'template $.artwork'],
      [localised({ banner: { width: 1125, height: 1125 } }), 'template $.translations.de["images.banner"]'],
      [{ type: 'generic', images: { passThumbnail: { width: 2000, height: 500 } } }, 'pass $.thumbnail'],
    ],
    passing: [banner(1125, 700), { images: { logo: { width: 1500, height: 150 } } }],
  },
  'image-trimmed': {
    failing: [
      [banner(1125, 490), 'template $.banner'],
      [{ type: 'generic', images: { passThumbnail: { width: 500, height: 300 } } }, 'pass $.thumbnail'],
    ],
    passing: [banner(1125, 470), banner(1200, 1200)],
  },
  'image-unused': {
    failing: [
      [{ type: 'generic', images: { banner: null } }, 'template $.banner'],
      [{ images: { thumbnail: null } }, 'template $.thumbnail'],
      [{ type: 'event', images: { artwork: null } }, 'template $.artwork'],
    ],
    passing: [{ type: 'generic' }, { images: { artwork: null } }],
  },
  'artwork-hides-text': {
    failing: [
      [{ template: texts('#fff'), images: { artwork: poster(black, white) } }, 'template $.artwork'],
      // The labels are black on black, and the title is white on black.
      [{ template: texts('#fff', '#000'), images: { artwork: poster(white, black) } }, 'template $.artwork'],
      // The fourth field is drawn at the top of the poster.
      [
        {
          type: 'generic',
          template: { ...texts('#fff'), fields: fourFields },
          images: { artwork: poster(white, black) },
        },
        'template $.artwork',
      ],
      // Transparent artwork shows the background colour.
      [
        { template: { ...texts('#fff'), backgroundColor: '#eee' }, images: { artwork: poster(black, clear) } },
        'template $.artwork',
      ],
      [
        { template: texts('#fff'), images: { artwork: null, localised: { de: { artwork: poster(black, white) } } } },
        'template $.translations.de["images.artwork"]',
      ],
    ],
    passing: [
      { template: texts('#fff'), images: { artwork: poster(white, black) } },
      { template: texts('#000'), images: { artwork: poster(black, white) } },
      { template: texts('#fff'), images: { artwork: poster(black, clear) } },
      { template: texts('#fff'), images: { artwork: { width: 1074, height: 1344, pixels: null } } },
      { type: 'event', template: texts('#fff'), images: { artwork: poster(white, white) } },
    ],
  },
  'artwork-weak-contrast': {
    failing: [
      [{ template: texts('#e0e0e0'), images: { artwork: poster(white, grey) } }, 'template $.artwork'],
      [
        { template: texts('#e0e0e0'), images: { localised: { de: { artwork: poster(white, grey) } } } },
        'template $.translations.de["images.artwork"]',
      ],
    ],
    passing: [
      { template: texts('#fff'), images: { artwork: poster(white, grey) } },
      // A large title needs less contrast.
      { template: { ...texts('#e0e0e0'), fields: [] }, images: { artwork: poster(white, grey) } },
      { template: texts('#fff'), images: { artwork: poster(white, white) } },
    ],
  },
  'banner-hides-text': {
    failing: [
      [{ template: texts('#fff'), images: { banner: plainStrip(white) } }, 'template $.banner'],
      // A long title reaches the middle of the banner, a short title does not.
      [
        {
          template: { ...texts('#fff'), title: 'Twenty per cent off' },
          images: { banner: strip(black, white, black) },
        },
        'template $.banner',
      ],
      // The value is white, and the label below it is black.
      [
        { type: 'membership', template: texts('#fff', '#000'), images: { banner: plainStrip(black) } },
        'template $.banner',
      ],
      [{ type: 'event', template: texts('#fff'), images: { banner: plainStrip(white) } }, 'template $.banner'],
      // A transparent banner shows the background colour.
      [
        { template: { ...texts('#fff'), backgroundColor: '#eee' }, images: { banner: plainStrip(clear) } },
        'template $.banner',
      ],
      [
        { template: texts('#fff'), images: { localised: { de: { banner: plainStrip(white) } } } },
        'template $.translations.de["images.banner"]',
      ],
    ],
    passing: [
      { template: texts('#fff'), images: { banner: plainStrip(black) } },
      { template: texts('#000'), images: { banner: plainStrip(white) } },
      { template: { ...texts('#fff'), title: 'Sale' }, images: { banner: strip(black, white, white) } },
      { template: texts('#fff', '#000'), images: { banner: plainStrip(black) } },
      { template: texts('#fff'), images: { banner: { width: 1125, height: 432, pixels: null } } },
      { type: 'generic', template: texts('#fff'), images: { banner: plainStrip(white) } },
    ],
  },
  'banner-weak-contrast': {
    failing: [
      // A label is smaller than the value, so it needs more contrast.
      [{ type: 'membership', template: texts('#e0e0e0'), images: { banner: plainStrip(grey) } }, 'template $.banner'],
      // A title that was shrunk to fit needs more contrast too.
      [
        {
          type: 'event',
          template: { ...texts('#e0e0e0'), title: 'A long evening of chamber music by the sea' },
          images: { banner: plainStrip(grey) },
        },
        'template $.banner',
      ],
    ],
    passing: [
      { template: { ...texts('#e0e0e0'), title: 'Sale' }, images: { banner: plainStrip(grey) } },
      { type: 'membership', template: texts('#fff'), images: { banner: plainStrip(grey) } },
      { template: texts('#fff'), images: { banner: plainStrip(white) } },
    ],
  },
  'google-image-small': {
    failing: [
      [{ images: { icon: { width: 659, height: 660 } } }, 'template $.icon'],
      [banner(1031, 420), 'template $.banner'],
    ],
    passing: [banner(1032, 336), { images: { icon: null } }],
  },
  'google-image-cropped': {
    failing: [[banner(1200, 1200), 'template $.banner']],
    passing: [banner(1125, 432), { images: { icon: { width: 800, height: 660 } } }],
  },
  'google-hero-missing': {
    failing: [
      [{ images: { artwork: null, banner: undefined } }, 'template $.artwork'],
      [{ type: 'generic', images: { artwork: null } }, 'template $.artwork'],
    ],
    passing: [{ images: { artwork: null } }, { type: 'event', images: { artwork: null, banner: undefined } }],
  },
  'background-web-only': {
    failing: [[{ images: { background: null } }, 'template $.background']],
    passing: [{}],
  },
};
