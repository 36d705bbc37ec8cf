import { textLineHeight } from '../apple/poster-layout.js';
import { type Colour, opaqueColour } from '../colour.js';
import { contrastOfLuminances, luminance } from '../contrast.js';
import type { RenderTemplate } from '../model.js';
import type { ExaminedImage, ExaminedPixels, Facts, Problem, Rule } from '../finding.js';
import { localisedImages } from './image-rules.js';
import { examinedTemplateInLanguage } from './in-all-languages.js';
import { quoted } from '../problem-text.js';

/**
 * The contrast that WCAG 2.2 requires of large text and of text of normal size.
 * @see https://www.w3.org/TR/WCAG22/#contrast-minimum
 */
export const requiredContrast = { large: 3, normal: 4.5 } as const;
/** The average width of a small letter relative to the size of its text. */
export const letterWidth = 0.5;
/** The share of a text's pixels that may have less contrast than `worst`. It is about one letter in ten. */
const worstShare = 0.1;

/** A text on an image, with its position in points. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly colour: 'foregroundColor' | 'labelColor';
  readonly required: number;
}

/** The contrasts of a text with the image below it. */
interface Measured {
  readonly text: PlacedText;
  readonly worst: number;
  readonly average: number;
}

/** The contrasts of the texts on one image. */
interface MeasuredImage {
  readonly path: string;
  readonly measured: readonly Measured[];
}

/** An image of a template with texts on it. */
export interface ImageWithTexts {
  readonly purpose: 'artwork' | 'banner';
  /** Returns the size in points that the image covers, or null if the template's type does not show it. */
  readonly sizeIn: (template: RenderTemplate) => { readonly width: number; readonly height: number } | null;
  readonly textsOn: (template: RenderTemplate) => readonly PlacedText[];
}

/**
 * Builds two checks of the texts on an image: one finds texts that are almost invisible, the other finds texts with
 * less contrast than required.
 */
export function contrastChecks(subject: ImageWithTexts): Record<'hidden' | 'weak', NonNullable<Rule['template']>> {
  // Cache the measurements, because both checks need them and each takes milliseconds.
  const known = new WeakMap<Facts, readonly MeasuredImage[]>();
  const measuredIn = (template: RenderTemplate, facts: Facts) => {
    const found = known.get(facts) ?? onEachImage(subject, template, facts);
    known.set(facts, found);
    return found;
  };
  const check =
    (select: (measured: readonly Measured[]) => Measured | undefined): NonNullable<Rule['template']> =>
    (template, facts) =>
      measuredIn(template, facts).flatMap(({ path, measured }) => problemWith(path, select(measured)));
  return { hidden: check(hidden), weak: check(weak) };
}

/** Measures the texts on each image of one purpose: the template's own image, and the images of other languages. */
function onEachImage(
  { purpose, sizeIn, textsOn }: ImageWithTexts,
  template: RenderTemplate,
  facts: Facts,
): MeasuredImage[] {
  const size = sizeIn(template);
  if (!size) return [];
  const { images } = facts;
  const localised = localisedImages(images).filter((each) => each.purpose === purpose);
  return [
    { path: purpose, image: images?.[purpose] ?? null, shown: template },
    ...localised.map(({ language, ...image }) => {
      return { ...image, shown: examinedTemplateInLanguage(template, language, facts) };
    }),
  ].map(({ path, image, shown }) => {
    const pixels = pixelsOf(image);
    return { path, measured: pixels ? measure(shown, textsOn(shown), pixels, size) : [] };
  });
}

function pixelsOf(image: ExaminedImage): ExaminedPixels | null {
  return image === null || image === 'missing' ? null : (image.pixels ?? null);
}

/** Measures the contrast of each text with the image below it. Returns an empty list for invalid colours. */
function measure(
  { backgroundColor, foregroundColor, labelColor }: RenderTemplate,
  texts: readonly PlacedText[],
  pixels: ExaminedPixels,
  size: { readonly width: number; readonly height: number },
): Measured[] {
  const background = opaqueColour(backgroundColor);
  if (!background) return [];
  return texts.flatMap((text): Measured[] => {
    const written = text.colour === 'labelColor' ? (labelColor ?? foregroundColor) : foregroundColor;
    const colour = opaqueColour(written, backgroundColor);
    const below = luminancesBelow(text, pixels, { ...size, background });
    if (!colour || below.length === 0) return [];
    const own = luminance(colour);
    const contrasts = below.map((each) => contrastOfLuminances(own, each)).sort((a, b) => a - b);
    const mean = below.reduce((sum, each) => sum + each, 0) / below.length;
    const worst = contrasts[Math.floor(worstShare * contrasts.length)] ?? 1;
    return [{ text, worst, average: contrastOfLuminances(own, mean) }];
  });
}

/** Returns the luminance of each pixel behind a text. Transparent pixels show the background colour. */
function luminancesBelow(
  { x, y, width, size }: PlacedText,
  pixels: ExaminedPixels,
  image: { readonly width: number; readonly height: number; readonly background: Colour },
): number[] {
  const across = pixels.width / image.width;
  const down = pixels.height / image.height;
  const [left, right] = [Math.floor(x * across), Math.ceil((x + width) * across)];
  const [top, bottom] = [Math.floor(y * down), Math.ceil((y + size * textLineHeight) * down)];
  const found: number[] = [];
  for (let at = Math.max(0, top); at < Math.min(bottom, pixels.height); at++) {
    for (let column = Math.max(0, left); column < Math.min(right, pixels.width); column++) {
      found.push(luminanceAt(pixels.rgba, 4 * (at * pixels.width + column), image.background));
    }
  }
  return found;
}

function luminanceAt(rgba: Uint8Array, at: number, background: Colour): number {
  const alpha = (rgba[at + 3] ?? 0) / 255;
  const mix = (channel: number, below: number) => (rgba[at + channel] ?? 0) * alpha + below * (1 - alpha);
  return luminance({ r: mix(0, background.r), g: mix(1, background.g), b: mix(2, background.b), alpha: 1 });
}

function problemWith(path: string, found: Measured | undefined): Problem[] {
  if (!found) return [];
  const { text, worst, average } = found;
  const contrast = `a contrast of ${worst.toFixed(1)} to 1 in places, and of ${average.toFixed(1)} to 1 on average`;
  return [{ path, message: `${quoted(text.text)} has ${contrast}` }];
}

function hidden(measured: readonly Measured[]): Measured | undefined {
  const [found] = [...measured].sort((a, b) => a.worst - b.worst);
  return found && found.worst < requiredContrast.large ? found : undefined;
}

function weak(measured: readonly Measured[]): Measured | undefined {
  if (hidden(measured)) return undefined;
  const [found] = [...measured].sort((a, b) => a.worst / a.text.required - b.worst / b.text.required);
  return found && found.worst < found.text.required ? found : undefined;
}
