// npm run docs:draw: draws docs/images/pass.png, the picture at the top of the README, with the renderer of the previews.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build, root } from './install.mjs';

process.chdir(root);
build();
const require = createRequire(new URL('../libs/domain/images/package.json', import.meta.url));
const sharp = require('sharp');
const { preview } = require('@passwright/wallet-renderers');
const fromRenderers = createRequire(require.resolve('@passwright/wallet-renderers'));
const { parse } = fromRenderers('opentype.js');

const file = fromRenderers.resolve('roboto-fontface/fonts/roboto/Roboto-Bold.woff');
const font = parse(new Uint8Array(readFileSync(file)).buffer);
/** Converts text to outlines, so that the picture is the same on every machine. */
const words = (text, x, y, size, fill) => `<path d="${font.getPath(text, x, y, size).toPathData(2)}" fill="${fill}"/>`;

/** Converts an SVG drawing to an image of a template. */
async function image(width, height, content, scale = 2) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
  const png = sharp(Buffer.from(svg), { density: 72 * scale }).png();
  return { bytes: await png.toBuffer(), mediaType: 'image/png', width: width * scale, height: height * scale };
}

const gradient = (id, from, to, down = false) =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="${down ? 0 : 1}" y2="1"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`;

/** Draws a logo: a mark on a square of 44 pixels, and the issuer's name beside it. */
const logo = (mark, name, fill) =>
  image(160, 50, `<g transform="translate(0 4)">${mark}</g>${words(name, 52, 32, 18, fill)}`, 3);

const cup = `<rect width="42" height="42" rx="11" fill="#fff3e4"/><path d="M11 19h17v6a8 8 0 0 1-8 8h-1a8 8 0 0 1-8-8z" fill="#8e3a1c"/>
  <path d="M28 21h2a4 4 0 0 1 0 8h-2.500" fill="none" stroke="#8e3a1c" stroke-width="2.500"/><path d="M16 15c-2-3 2-3 0-6m7 6c-2-3 2-3 0-6" fill="none" stroke="#d9703a" stroke-width="2" stroke-linecap="round"/>`;
const morning = `<defs>${gradient('sky', '#a8431f', '#f3945a')}</defs><rect width="375" height="144" fill="url(#sky)"/>
  <circle cx="292" cy="92" r="46" fill="#ffe0ad"/><circle cx="292" cy="92" r="62" fill="#ffe0ad" fill-opacity=".22"/>
  <path d="M180 144Q240 84 300 118T375 96V144Z" fill="#8e3a1c"/><path d="M120 144Q210 112 285 132T375 122V144Z" fill="#6d2a13"/>`;
const strings = `<defs>${gradient('night', '#1b2a5e', '#5a2a7a')}</defs><rect width="375" height="98" fill="url(#night)"/>
  ${Array.from({ length: 9 }, (_, i) => `<path d="M-10 ${86 - i * 3}C90 ${20 + i * 9} 210 ${110 - i * 5} 385 ${14 + i * 8}" fill="none" stroke="#ffd479" stroke-opacity="${0.14 + i * 0.055}" stroke-width="1.300"/>`).join('')}
  <circle cx="322" cy="30" r="13" fill="#ffe8b8"/><circle cx="316" cy="26" r="12" fill="#3d2a6c"/>`;
const hall = `<rect width="42" height="42" rx="11" fill="#ffd479"/><path d="M9 31V20l12-9 12 9v11z" fill="#14213d"/><path d="M16 31v-9m5 9V20m5 11v-9" stroke="#ffd479" stroke-width="2.200"/>`;
const peaks = `<defs>${gradient('dawn', '#9fd8cb', '#f6e7c1', true)}</defs><rect width="1032" height="336" fill="url(#dawn)"/>
  <circle cx="770" cy="120" r="58" fill="#fff6dc"/><path d="M0 336L210 120 330 236 520 60 760 300 880 210 1032 320V336Z" fill="#2f7f6f"/>
  <path d="M520 60l-62 57 40-8 22 22 26-26 34 18z" fill="#fff"/><path d="M210 120l-40 41 30-6 14 16 22-22z" fill="#fff"/>
  <path d="M0 336L160 250 330 310 560 230 800 320 1032 262V336Z" fill="#0c463b"/>`;
const alpine = `<rect width="42" height="42" rx="21" fill="#e9f5ef"/><path d="M7 30L17 14l6 9 4-5 8 12z" fill="#0f5c4d"/>`;
const spines = ['#c8553d', '#f2b84b', '#33658a', '#2f4858', '#86a873', '#b08ea2', '#e07a5f', '#3d405b', '#81b29a'];
const shelf = `<rect width="1032" height="336" fill="#efe3cf"/>${Array.from({ length: 21 }, (_, i) => {
  const [x, height] = [16 + i * 48.5, 190 + ((i * 53) % 96)];
  const fill = spines[(i * 4) % spines.length];
  return `<rect x="${x}" y="${312 - height}" width="43" height="${height}" rx="4" fill="${fill}"/><rect x="${x}" y="${312 - height + 26}" width="43" height="9" fill="#fff" fill-opacity=".45"/><rect x="${x}" y="${282}" width="43" height="6" fill="#fff" fill-opacity=".3"/>`;
}).join('')}<rect y="312" width="1032" height="24" fill="#8a6242"/>`;
const book = `<rect width="42" height="42" rx="11" fill="#2f4858"/><path d="M8 12q7-3 13 1q6-4 13-1v19q-7-3-13 1q-6-4-13-1z" fill="#f6f1e7"/><path d="M21 13v19" stroke="#2f4858" stroke-width="2"/>`;

const field = (key, label, value) => ({ key, label, value });
const template = (type, changes) => ({
  type,
  labelColor: null,
  sharingProhibited: false,
  codeFormat: 'qr',
  locations: [],
  startDate: null,
  location: null,
  primaryLabel: null,
  backFields: [],
  archivedAt: null,
  ...changes,
});
const pass = (code, changes = {}) => ({
  serialNumber: code,
  code,
  validFrom: null,
  expiresAt: null,
  voidedAt: null,
  expiredAt: null,
  redeemedAt: null,
  primaryValue: null,
  fields: [],
  backFields: [],
  locations: [],
  ...changes,
});

const screens = [
  {
    wallet: 'apple',
    theme: 'light',
    template: template('offer', {
      title: '25% off',
      issuerName: 'Sundown Coffee',
      foregroundColor: '#fff6ea',
      backgroundColor: '#7d3017',
      labelColor: '#ffc98f',
      fields: [field('valid', 'Valid in', 'All coffee houses'), field('until', 'Until', '31 August')],
    }),
    pass: pass('SUN-25-7K4M'),
    images: { logo: await logo(cup, 'Sundown', '#fff6ea'), banner: await image(375, 144, morning) },
  },
  {
    wallet: 'apple',
    theme: 'dark',
    template: template('event', {
      title: 'Night of Strings',
      issuerName: 'Harbour Hall',
      foregroundColor: '#ffffff',
      backgroundColor: '#14213d',
      labelColor: '#ffd479',
      startDate: new Date('2027-06-21T18:00:00.000Z'),
      location: { name: 'Harbour Hall', address: 'Quay 1, Hamburg', latitude: 53.5413, longitude: 9.9841 },
      fields: [
        field('row', 'Row', '4'),
        field('seat', 'Seat', '12'),
        field('door', 'Door', 'B'),
        field('open', 'Doors', '19:15'),
      ],
    }),
    pass: pass('HH-2027-000412'),
    images: { logo: await logo(hall, 'Harbour Hall', '#ffffff'), banner: await image(375, 98, strings) },
  },
  {
    wallet: 'google',
    theme: 'light',
    template: template('membership', {
      title: 'Alpine Club',
      issuerName: 'Alpine Club',
      foregroundColor: '#ffffff',
      backgroundColor: '#0f5c4d',
      primaryLabel: 'Member',
      fields: [field('section', 'Section', 'Lakeside'), field('since', 'Since', '2019'), field('huts', 'Huts', '48')],
    }),
    pass: pass('AC-1815-1210', { primaryValue: 'Ada Lovelace' }),
    images: { logo: await logo(alpine, 'Alpine Club', '#ffffff'), banner: await image(1032, 336, peaks, 1) },
  },
  {
    wallet: 'web',
    theme: 'light',
    template: template('generic', {
      title: 'Reader’s pass',
      issuerName: 'City Library',
      foregroundColor: '#2f2a26',
      backgroundColor: '#faf6ee',
      labelColor: '#8a5a36',
      primaryLabel: 'Reader',
      // Leave out the fields, because they do not fit on the phone together with the code.
      fields: [],
    }),
    pass: pass('CL-20271-88', { primaryValue: 'Ada Lovelace', expiresAt: new Date('2027-12-31T23:00:00.000Z') }),
    images: {
      logo: await logo(book, 'City Library', '#2f2a26'),
      banner: await image(1032, 336, shelf, 1),
    },
  },
];

const phone = { width: 415, height: 746, gap: 44, edge: 9, radius: 52 };
const drawn = screens.map(({ template, pass, wallet, theme, images }, index) => {
  const { svg } = preview(template, pass, {
    images: /** @type {import('@passwright/wallet-renderers').PreviewContext['images']} */ (images),
    theme: /** @type {'light' | 'dark'} */ (theme),
    wallet: /** @type {'apple' | 'google' | 'web'} */ (wallet),
    now: new Date('2027-06-01T10:00:00.000Z'),
  });
  // Read the background colour of the pass, to fill the screen with it.
  const screen = /<rect [^>]*fill="([^"]+)"/.exec(svg)[1];
  const { width, height, edge, radius } = phone;
  const x = edge + index * (width + 2 * edge + phone.gap);
  const shape = `x="${x}" y="${edge}" width="${width}" height="${height}" rx="${radius - edge}"`;
  const frame = `x="${x - edge}" y="0" width="${width + 2 * edge}" height="${height + 2 * edge}" rx="${radius}"`;
  return `<rect ${frame} fill="#1c1c20"/><rect ${frame} fill="none" stroke="#8e8e96" stroke-width="2"/>
    <clipPath id="phone-${index}"><rect ${shape}/></clipPath><g clip-path="url(#phone-${index})"><rect ${shape} fill="${screen}"/>
    ${svg.replace('<svg ', `<svg x="${x}" y="${edge + 12}" `)}</g>`;
});
const width = screens.length * (phone.width + 2 * phone.edge) + (screens.length - 1) * phone.gap;
const height = phone.height + 2 * phone.edge;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 ${width + 8} ${height + 8}" width="${width + 8}" height="${height + 8}">${drawn.join('')}</svg>`;
const png = await sharp(Buffer.from(svg)).png({ palette: true, quality: 95, effort: 10 }).toBuffer();
writeFileSync('docs/images/pass.png', png);
console.log(`docs/images/pass.png: ${Math.round(png.length / 1024)} KB`);
