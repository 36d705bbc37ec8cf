import { type AppleField, appleFields, type FieldsOfPass } from '../apple/pass-fields.js';
import { mergedFields } from '../merged-fields.js';
import type { RenderTemplate, RenderType } from '../model.js';
import type { ExaminedImages, Problem, Rule } from '../finding.js';
import { inAllLanguages, inAllLanguagesOfPass } from './in-all-languages.js';
import { dateWidth, textWidth } from './text-width.js';
import { problemIf, quoted } from '../problem-text.js';

/*
 * The width of a row on a phone of 375 points, in average lower-case letters. Phones truncate longer texts even at
 * their smallest size. The estimate is generous.
 */
const rowWidth = 44;
const gap = 2;
/** The size of a label relative to a value. */
const labelScale = 0.7;
const primaryWidth: Record<RenderType, number> = { offer: 32, event: 36, generic: 28, membership: 32 };
const points = { front: 345, logoHeight: 50, logoWidth: 160, perLetter: 8 };

/** A pass of any template, with the shortest primary value. */
export const anyPass: FieldsOfPass = { fields: [], backFields: [], primaryValue: '-', validFrom: null };

/** The document and path of the front value that an error is about. */
export interface Place {
  readonly in: 'template' | 'pass';
  readonly path: string;
}

interface Cut extends Place {
  readonly text: string;
}

/** Returns the front texts that a phone truncates. A row consists of the fields that a style draws in one line. */
function cutTexts(template: RenderTemplate, pass: FieldsOfPass): Cut[] {
  const { primaryFields, secondaryFields, auxiliaryFields } = appleFields(template, pass);
  const rows =
    template.type === 'event' ? [secondaryFields, auxiliaryFields] : [[...secondaryFields, ...auxiliaryFields]];
  return [
    ...cutInRow(primaryFields, primaryWidth[template.type]),
    ...rows.flatMap((row) => cutInRow(row, rowWidth)),
  ].map(({ field, part, text }) => ({ text, ...placeOf(field.key, part, template, pass) }));
}

interface CutField {
  readonly field: AppleField;
  readonly part: 'label' | 'value';
  readonly text: string;
}

/**
 * Returns the truncated fields of a row. Each field takes the width that it needs. If the row is full, fields wider
 * than an equal share are truncated.
 */
function cutInRow(fields: readonly AppleField[], width: number): CutField[] {
  const gaps = gap * (fields.length - 1);
  const needs = fields.map((field) => ({
    field,
    value: field.dateStyle ? dateWidth : textWidth(field.value),
    label: textWidth(field.label ?? '') * labelScale,
  }));
  const total = needs.reduce((sum, { value, label }) => sum + Math.max(value, label), gaps);
  if (total <= width) return [];
  const share = (width - gaps) / fields.length;
  return needs.flatMap(({ field, value, label }): CutField[] => [
    ...(value > share ? [{ field, part: 'value' as const, text: field.value }] : []),
    ...(label > share ? [{ field, part: 'label' as const, text: field.label ?? '' }] : []),
  ]);
}

/** Returns the document and path of a front value. */
export function placeOf(key: string, part: 'label' | 'value', template: RenderTemplate, pass: FieldsOfPass): Place {
  switch (key) {
    case '_title':
      return { in: 'template', path: 'title' };
    case '_primary':
      return part === 'label' ? { in: 'template', path: 'primaryLabel' } : { in: 'pass', path: 'primaryValue' };
    case '_date':
      return { in: 'template', path: 'startDate' };
    case '_place':
      return { in: 'template', path: template.location?.name ? 'location.name' : 'location.address' };
    default: {
      const own = pass.fields.findLastIndex((field) => field.key === key);
      if (own >= 0) return { in: 'pass', path: `fields[${own}].${part}` };
      const inherited = template.fields.findLastIndex((field) => field.key === key);
      return { in: 'template', path: `fields[${inherited}].${part}` };
    }
  }
}

function problemsIn(document: Place['in'], template: RenderTemplate, pass: FieldsOfPass): Problem[] {
  return cutTexts(template, pass).flatMap((cut) =>
    // Skip dates, because their width depends on how the phone formats them.
    problemIf(
      cut.in === document && cut.path !== 'startDate',
      cut.path,
      () => `${quoted(cut.text)} is cut on the front`,
    ),
  );
}

/**
 * Returns the width beside the logo, in letters. Computes the width of the logo from its shape, if the shape is known.
 */
function logoTextWidth(images: ExaminedImages | null): number {
  const logo = images?.logo;
  const shape = logo && logo !== 'missing' ? logo.width / logo.height : Infinity;
  const logoWidth = Math.min(points.logoWidth, points.logoHeight * shape);
  return (points.front - logoWidth) / points.perLetter;
}

/** Rules on the space on the front of a pass. */
export const frontRules: readonly Rule[] = [
  {
    id: 'text-cut',
    severity: 'warning',
    wallet: 'walletA',
    title: 'A text is too long for its space on the front',
    why: 'Apple Wallet makes it smaller, then cuts it off with an ellipsis. In a crowded row it may leave out a field.',
    fix: 'make it shorter, show fewer fields, or put it on the back',
    template: inAllLanguages((template) => problemsIn('template', template, anyPass)),
    pass: inAllLanguagesOfPass((pass, template) => problemsIn('pass', template, pass)),
  },
  {
    id: 'logo-text-cut',
    severity: 'warning',
    wallet: 'walletA',
    title: 'The title does not fit beside the logo',
    why: 'Generic passes and memberships show their title there in one line, which is cut off.',
    fix: 'make the title shorter, or the logo narrower',
    template: inAllLanguages(({ type, title }, { images }) => {
      const isShown = type === 'generic' || type === 'membership';
      const tooLong = isShown && textWidth(title) > logoTextWidth(images);
      return problemIf(tooLong, 'title', () => `${quoted(title)} is cut beside the logo`);
    }),
  },
  {
    id: 'line-break-on-front',
    severity: 'warning',
    wallet: 'walletA',
    title: 'A front field has a line break',
    why: 'A front field is one line, and phones do not show what follows the break.',
    fix: 'write it in one line, or put it on the back',
    template: inAllLanguages((template) => lineBreaks(template.fields)),
    pass: inAllLanguagesOfPass((pass) => lineBreaks(pass.fields)),
  },
  {
    id: 'front-field-left-out',
    severity: 'warning',
    wallet: 'all',
    title: 'A field of a pass is not shown because its template has changed',
    why: 'The template got new fields after the pass was created. Front fields beyond 4 are left out, and so are back fields whose key is on the front.',
    fix: 'give the pass fewer fields, or fields with other keys',
    pass: (pass, template) => {
      const shown = mergedFields(template, pass);
      return (['fields', 'backFields'] as const).flatMap((side) => {
        const keys = new Set(shown[side].map(({ key }) => key));
        return pass[side].flatMap(({ key }, index) =>
          problemIf(!keys.has(key), `${side}[${index}]`, () => `${quoted(key)} is not shown`),
        );
      });
    },
  },
];

function lineBreaks(fields: FieldsOfPass['fields']): Problem[] {
  return fields.flatMap(({ value }, index) =>
    problemIf(value.includes('\n'), `fields[${index}].value`, () => `${quoted(value)} has a line break`),
  );
}
