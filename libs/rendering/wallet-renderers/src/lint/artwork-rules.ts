import { type ApplePosterFields, applePosterFields } from '../apple/poster-fields.js';
import { posterLayout, posterLineHeight, posterTops } from '../apple/poster-layout.js';
import { type Colour, opaqueColour } from '../colour.js';
import { contrastOfLuminances, luminance } from '../contrast.js';
import type { RenderTemplate } from '../model.js';
import type { ExaminedImage, ExaminedPixels, Facts, Problem, Rule } from './finding.js';
import { anyPass } from './front-rules.js';
import { localisedImages } from './image-rules.js';
import { examinedTemplateInLanguage } from './in-all-languages.js';
import { textWidth } from './text-width.js';
import { quoted } from './wording.js';

/** The contrast that WCAG 2.2 requires of large text and of text of normal size. */
const required = { large: 3, normal: 4.5 } as const;
/** The share of a text's pixels that may have less contrast than `worst` says: about one letter in ten. */
const worstShare = 0.1;
/** The average width of a small letter relative to the size of its text. */
const letterWidth = 0.5;
/** The room for a value that a pass may replace, in letters. */
const likelyLetters = 8;

/** A text on the artwork, with its place in points. */
interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly colour: 'foregroundColor' | 'labelColor';
  readonly required: number;
}

/** The contrasts of a text with the artwork below it. */
interface Measured {
  readonly text: PlacedText;
  readonly worst: number;
  readonly average: number;
}

type Field = ApplePosterFields['primaryFields'][number];

const inner = posterLayout.width - 2 * posterLayout.margin;

/** Returns the texts of a poster with the places where they stand, if each pass has values of a usual length. */
function textsOf(template: RenderTemplate): PlacedText[] {
  const fields = template.fields.map((field) => (field.value === '' ? { ...field, value: '-' } : field));
  const groups = applePosterFields({ ...template, fields }, anyPass);
  const tops = posterTops(groups);
  const { margin, titleSize, logo } = posterLayout;
  const [title, ...rest] = groups.primaryFields;
  const width = Math.min(inner, textWidth(title?.value ?? '') * letterWidth * titleSize);
  const large = { size: titleSize, colour: 'foregroundColor', required: required.large } as const;
  const headerRoom = inner - logo.width - margin;
  return [
    ...(title ? [{ text: title.value, x: margin, y: tops.title, width, ...large }] : []),
    ...row(rest, tops.fields, margin, inner),
    ...row(groups.footerFields, tops.footer, margin, inner),
    ...row(groups.headerFields, tops.header, margin + inner - headerRoom, headerRoom, true),
  ];
}

/** Returns the texts of a row of fields, each label above its value. The rest of the width lies between the fields. */
function row(fields: readonly Field[], y: number, x: number, width: number, atEnd = false): PlacedText[] {
  const needs = fields.map(({ label = '', value }) => {
    const { labelSize, valueSize } = posterLayout;
    const letters = Math.max(likelyLetters, textWidth(value));
    return letterWidth * Math.max(textWidth(label) * labelSize, letters * valueSize);
  });
  const free = Math.max(0, width - needs.reduce((sum, need) => sum + need, 0));
  const between = fields.length > 1 ? free / (fields.length - 1) : 0;
  let left = x + (atEnd && fields.length === 1 ? free : 0);
  return fields.flatMap((field, index) => {
    const column = { x: left, width: Math.min(needs[index] ?? 0, x + width - left) };
    left += (needs[index] ?? 0) + between;
    return column.width > 0 ? labelled(field, column, y) : [];
  });
}

function labelled({ label = '', value }: Field, column: { x: number; width: number }, y: number): PlacedText[] {
  const { labelSize, valueSize } = posterLayout;
  const text = { ...column, required: required.normal };
  const below = y + labelSize * posterLineHeight + 1;
  return [
    ...(label === '' ? [] : [{ ...text, text: label, y, size: labelSize, colour: 'labelColor' as const }]),
    { ...text, text: value, y: below, size: valueSize, colour: 'foregroundColor' as const },
  ];
}

/** Measures the contrast of each text with the artwork below it. Returns an empty list for invalid colours. */
function measure(template: RenderTemplate, pixels: ExaminedPixels): Measured[] {
  const { backgroundColor, foregroundColor, labelColor } = template;
  const background = opaqueColour(backgroundColor);
  if (!background) return [];
  return textsOf(template).flatMap((text): Measured[] => {
    const written = text.colour === 'labelColor' ? (labelColor ?? foregroundColor) : foregroundColor;
    const colour = opaqueColour(written, backgroundColor);
    const below = luminancesBelow(text, pixels, background);
    if (!colour || below.length === 0) return [];
    const own = luminance(colour);
    const contrasts = below.map((each) => contrastOfLuminances(own, each)).sort((a, b) => a - b);
    const mean = below.reduce((sum, each) => sum + each, 0) / below.length;
    const worst = contrasts[Math.floor(worstShare * contrasts.length)] ?? 1;
    return [{ text, worst, average: contrastOfLuminances(own, mean) }];
  });
}

/** Returns the luminance of each pixel below a text. Transparent artwork lies on the background colour. */
function luminancesBelow({ x, y, width, size }: PlacedText, pixels: ExaminedPixels, background: Colour): number[] {
  const across = pixels.width / posterLayout.width;
  const down = pixels.height / posterLayout.artworkHeight;
  const [left, right] = [Math.floor(x * across), Math.ceil((x + width) * across)];
  const [top, bottom] = [Math.floor(y * down), Math.ceil((y + size * posterLineHeight) * down)];
  const found: number[] = [];
  for (let at = Math.max(0, top); at < Math.min(bottom, pixels.height); at++) {
    for (let column = Math.max(0, left); column < Math.min(right, pixels.width); column++) {
      found.push(luminanceAt(pixels.rgba, 4 * (at * pixels.width + column), background));
    }
  }
  return found;
}

function luminanceAt(rgba: Uint8Array, at: number, background: Colour): number {
  const alpha = (rgba[at + 3] ?? 0) / 255;
  const mix = (channel: number, below: number) => (rgba[at + channel] ?? 0) * alpha + below * (1 - alpha);
  return luminance({ r: mix(0, background.r), g: mix(1, background.g), b: mix(2, background.b), alpha: 1 });
}

/** The contrasts of the texts on one artwork. */
interface MeasuredArtwork {
  readonly path: string;
  readonly measured: readonly Measured[];
}

/** A cache of measurements, because both rules need them and they take milliseconds for each artwork. */
const known = new WeakMap<Facts, readonly MeasuredArtwork[]>();

function measuredArtworks(template: RenderTemplate, facts: Facts): readonly MeasuredArtwork[] {
  const found = known.get(facts) ?? onEachArtwork(template, facts);
  known.set(facts, found);
  return found;
}

/** Measures the texts on each artwork, that of the template and those of other languages. */
function onEachArtwork(template: RenderTemplate, facts: Facts): MeasuredArtwork[] {
  // A poster of an event would need NFC, so events have none.
  if (template.type === 'event') return [];
  const { images } = facts;
  const localised = localisedImages(images).filter(({ purpose }) => purpose === 'artwork');
  return [
    { path: 'artwork', image: images?.artwork ?? null, shown: template },
    ...localised.map(({ language, ...image }) => {
      return { ...image, shown: examinedTemplateInLanguage(template, language, facts) };
    }),
  ].map(({ path, image, shown }) => {
    const pixels = pixelsOf(image);
    return { path, measured: pixels ? measure(shown, pixels) : [] };
  });
}

function pixelsOf(image: ExaminedImage): ExaminedPixels | null {
  return image === null || image === 'missing' ? null : (image.pixels ?? null);
}

/** Builds a check of each artwork. @param select returns the text to report, or undefined */
function onArtwork(select: (measured: readonly Measured[]) => Measured | undefined): NonNullable<Rule['template']> {
  return (template, facts): Problem[] =>
    measuredArtworks(template, facts).flatMap(({ path, measured }) => {
      const found = select(measured);
      if (!found) return [];
      const { text, worst, average } = found;
      const contrast = `a contrast of ${worst.toFixed(1)} to 1 in places, and of ${average.toFixed(1)} to 1 on average`;
      return [{ path, message: `${quoted(text.text)} has ${contrast}` }];
    });
}

function hidden(measured: readonly Measured[]): Measured | undefined {
  const [found] = [...measured].sort((a, b) => a.worst - b.worst);
  return found && found.worst < required.large ? found : undefined;
}

function weak(measured: readonly Measured[]): Measured | undefined {
  if (hidden(measured)) return undefined;
  const [found] = [...measured].sort((a, b) => a.worst / a.text.required - b.worst / b.text.required);
  return found && found.worst < found.text.required ? found : undefined;
}

const fix = 'use calm artwork at the bottom and at the top right, or texts in another colour';

/**
 * Rules on the texts of posters, which Apple Wallet writes on the artwork.
 * @see https://www.w3.org/TR/WCAG22/#contrast-minimum
 */
export const artworkRules: readonly Rule[] = [
  {
    id: 'artwork-hides-text',
    severity: 'warning',
    wallet: 'walletA',
    title: 'Text hardly stands out from the artwork below it',
    why: 'Posters have their texts on the artwork. Below a contrast of 3 to 1, many people cannot read them. Systems may darken the artwork below a text, but Apple does not say how much.',
    fix,
    template: onArtwork(hidden),
  },
  {
    id: 'artwork-weak-contrast',
    severity: 'info',
    wallet: 'walletA',
    title: 'Text on the artwork has less contrast than accessibility guidelines require',
    why: 'WCAG 2.2 AA requires 4.5 to 1 for text of normal size, such as labels and values, and 3 to 1 for a large title.',
    fix,
    template: onArtwork(weak),
  },
];
