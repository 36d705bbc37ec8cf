import { type ApplePosterFields, applePosterFields } from '../apple/poster-fields.js';
import { posterLayout, posterTops, textLineHeight } from '../apple/poster-layout.js';
import type { RenderTemplate } from '../model.js';
import type { Rule } from '../finding.js';
import { anyPass } from './front-rules.js';
import { contrastChecks, letterWidth, type PlacedText, requiredContrast } from './text-contrast.js';
import { textWidth } from './text-width.js';

/** The assumed length, in letters, of a value that each pass may set. */
const likelyLetters = 8;

type Field = ApplePosterFields['primaryFields'][number];

const inner = posterLayout.width - 2 * posterLayout.margin;

/** Returns the texts of a poster with their positions, assuming that each pass has values of a usual length. */
function textsOf(template: RenderTemplate): PlacedText[] {
  const fields = template.fields.map((field) => (field.value.trim() === '' ? { ...field, value: '-' } : field));
  const groups = applePosterFields({ ...template, fields }, anyPass);
  const tops = posterTops(groups);
  const { margin, titleSize, logo } = posterLayout;
  const [title, ...rest] = groups.primaryFields;
  const width = Math.min(inner, textWidth(title?.value ?? '') * letterWidth * titleSize);
  const large = { size: titleSize, colour: 'foregroundColor', required: requiredContrast.large } as const;
  const headerRoom = inner - logo.width - margin;
  return [
    ...(title ? [{ text: title.value, x: margin, y: tops.title, width, ...large }] : []),
    ...row(rest, tops.fields, margin, inner),
    ...row(groups.footerFields, tops.footer, margin, inner),
    ...row(groups.headerFields, tops.header, margin + inner - headerRoom, headerRoom, true),
  ];
}

/**
 * Returns the texts of a row of fields, each label above its value. The remaining width is distributed between the
 * fields.
 */
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
  const text = { ...column, required: requiredContrast.normal };
  const below = y + labelSize * textLineHeight + 1;
  return [
    ...(label === '' ? [] : [{ ...text, text: label, y, size: labelSize, colour: 'labelColor' as const }]),
    { ...text, text: value, y: below, size: valueSize, colour: 'foregroundColor' as const },
  ];
}

const { hidden, weak } = contrastChecks({
  purpose: 'artwork',
  // Events have no posters, because an event poster would need NFC.
  sizeIn: ({ type }) => (type === 'event' ? null : { width: posterLayout.width, height: posterLayout.artworkHeight }),
  textsOn: textsOf,
});

const fix = 'use calm artwork at the bottom and at the top right, or texts in another colour';

/** Rules on the texts of posters, which Apple Wallet writes on the artwork. */
export const artworkRules: readonly Rule[] = [
  {
    id: 'artwork-hides-text',
    severity: 'warning',
    wallet: 'walletA',
    title: 'Text hardly stands out from the artwork below it',
    why: 'Posters have their texts on the artwork. Below a contrast of 3 to 1, many people cannot read them. Systems may darken the artwork below a text, but Apple does not say how much.',
    fix,
    template: hidden,
  },
  {
    id: 'artwork-weak-contrast',
    severity: 'info',
    wallet: 'walletA',
    title: 'Text on the artwork has less contrast than accessibility guidelines require',
    why: 'WCAG 2.2 AA requires 4.5 to 1 for text of normal size, such as labels and values, and 3 to 1 for a large title.',
    fix,
    template: weak,
  },
];
