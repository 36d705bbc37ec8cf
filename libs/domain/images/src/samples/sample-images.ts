import sharp from 'sharp';
import type { ImagePurpose } from '../variants/prepared-image.js';

/*
 * Sample images, with which the examples in Swagger UI work in an empty installation. The word “Sundown” is drawn as
 * lines, because fonts differ between machines.
 */
const gradient = `<defs>
  <linearGradient id="dusk" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#1f2a6b"/><stop offset="1" stop-color="#7b3fa0"/></linearGradient>
  <radialGradient id="sun" cx="0.5" cy="0.5" r="0.5"><stop offset="0" stop-color="#ffd479"/><stop offset="1" stop-color="#ff8a5c"/></radialGradient>
</defs>`;
const svg = (width: number, height: number, content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${gradient}${content}</svg>`;

/** The logo: a sun that sets behind two hills, in a square of 100 by 100. */
const mark = `<circle cx="50" cy="44" r="24" fill="url(#sun)"/><path d="M0 78 Q30 48 58 70 T100 62 V100 H0Z" fill="#ffffff" fill-opacity="0.92"/>
<path d="M0 88 Q38 66 70 84 T100 80 V100 H0Z" fill="#ffffff" fill-opacity="0.55"/>`;
const hills = (width: number, height: number) => {
  const at = (x: number, y: number) => `${Math.round(x * width)} ${Math.round(y * height)}`;
  const hill = (shade: string, top: number) =>
    `<path d="M${at(0, top)} Q${at(0.25, top - 0.26)} ${at(0.5, top)} T${at(1, top - 0.06)} V${height} H0Z" fill="${shade}"/>`;
  return hill('#5b2f86', 0.72) + hill('#43246b', 0.84) + hill('#2d1a4f', 0.95);
};
// Apple Wallet writes its large text over the left and the middle of a banner, so the sun sets on the right.
const scene = (width: number, height: number, sun: number) =>
  `<rect width="${width}" height="${height}" fill="url(#dusk)"/>
  <circle cx="${Math.round(width * 0.87)}" cy="${Math.round(height * 0.62)}" r="${sun}" fill="url(#sun)"/>${hills(width, height)}`;

/** The letters of “Sundown” as lines in boxes of 40 by 50. */
const letters = [
  'M34 12Q34 4 20 4Q6 4 6 15Q6 25 20 25Q35 25 35 36Q35 46 20 46Q5 46 5 38',
  'M5 4V30Q5 46 20 46Q35 46 35 30V4',
  'M5 46V4L35 46V4',
  'M5 4V46H15Q36 46 36 25Q36 4 15 4Z',
  'M20 4Q36 4 36 25Q36 46 20 46Q4 46 4 25Q4 4 20 4Z',
  'M2 4L12 46L20 16L28 46L38 4',
  'M5 46V4L35 46V4',
];
const word = `<g fill="none" stroke="#ffffff" stroke-width="7" stroke-linecap="round" stroke-linejoin="round">${letters
  .map((line, at) => `<path transform="translate(${at * 47} 0)" d="${line}"/>`)
  .join('')}</g>`;

const drawings: Record<ImagePurpose, string> = {
  // Google recommends 660 pixels.
  icon: svg(660, 660, `<rect width="660" height="660" fill="url(#dusk)"/><g transform="scale(6.6)">${mark}</g>`),
  logo: svg(
    480,
    150,
    `<clipPath id="tile"><rect width="480" height="150" rx="36"/></clipPath>
    <clipPath id="disc"><circle cx="50" cy="50" r="50"/></clipPath>
    <g clip-path="url(#tile)"><rect width="480" height="150" fill="url(#dusk)"/></g>
    <g transform="translate(30 21) scale(1.08)" clip-path="url(#disc)"><rect width="100" height="100" fill="#2d1a4f"/>${mark}</g>
    <g transform="translate(172 54) scale(0.86)">${word}</g>`,
  ),
  banner: svg(1125, 432, scene(1125, 432, 92)),
  background: svg(720, 1280, scene(720, 1280, 120)),
  artwork: svg(1074, 1344, scene(1074, 1344, 190)),
  thumbnail: svg(
    270,
    270,
    `<rect width="270" height="270" fill="url(#dusk)"/><circle cx="135" cy="106" r="52" fill="url(#sun)"/>
    <path d="M35 270 C35 190 85 172 135 172 S235 190 235 270Z" fill="#ffffff" fill-opacity="0.92"/>`,
  ),
};

const drawn = new Map<string, Promise<Uint8Array>>();
const samples = new WeakSet<Uint8Array>();

/**
 * Returns the bytes of `/images/samples/{file}`, such as `icon.png`; null if there is no such sample. Draws each sample
 * once.
 */
export async function sampleImage(file: string): Promise<Uint8Array | null> {
  const purpose = /^([a-z]+)\.png$/.exec(file)?.[1] ?? '';
  if (!Object.hasOwn(drawings, purpose)) return null;
  const drawing = drawings[purpose as ImagePurpose];
  const image = drawn.get(file) ?? sharp(Buffer.from(drawing)).png({ compressionLevel: 9 }).toBuffer();
  drawn.set(file, image);
  samples.add(await image);
  return image;
}

/** Returns true if `bytes` is the same object that `sampleImage` returned; false for a copy. */
export function isSampleImage(bytes: Uint8Array): boolean {
  return samples.has(bytes);
}
