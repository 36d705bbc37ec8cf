import { opaqueColour, parseColour } from '../colour.js';
import { contrastOf } from '../contrast.js';
import type { RenderTemplate } from '../model.js';
import type { Problem, Rule } from '../finding.js';
import { problemIf, quoted } from '../problem-text.js';

type Property = 'foregroundColor' | 'backgroundColor' | 'labelColor';
const properties: readonly Property[] = ['foregroundColor', 'backgroundColor', 'labelColor'];

/** Returns the contrast, from 1 for equal colours to 21 for black on white; null for an unreadable colour. */
function contrast(text: string, background: string): number | null {
  const [top, bottom] = [opaqueColour(text, background), opaqueColour(background)];
  if (!top || !bottom) return null;
  return contrastOf(top, bottom);
}

/**
 * Builds a check that finds contrasts of at least `from` and less than `below`. Skips an unset label colour, which
 * equals the foreground colour.
 */
function contrastsBetween(from: number, below: number) {
  return (template: RenderTemplate): Problem[] =>
    (['foregroundColor', 'labelColor'] as const).flatMap((property) => {
      const text = template[property];
      const ratio = text === null ? null : contrast(text, template.backgroundColor);
      const isWithin = ratio !== null && ratio >= from && ratio < below;
      const message = () =>
        `${quoted(text ?? '')} on ${quoted(template.backgroundColor)} has a contrast of ${(ratio ?? 0).toFixed(2)} to 1`;
      return problemIf(isWithin, property, message);
    });
}

/** The contrast below which two colours look the same. */
const invisible = 1.1;

/** Rules on colours that cannot be parsed or that make text hard to read. */
export const colourRules: readonly Rule[] = [
  {
    id: 'colour-unreadable',
    severity: 'error',
    wallet: 'all',
    title: 'A colour cannot be parsed',
    why: 'Apple Wallet rejects a pass with a colour it cannot parse.',
    fix: 'write it like #1a2b3c or rgb(26, 43, 60)',
    template: (template) =>
      properties.flatMap((property) => {
        const text = template[property];
        return problemIf(text !== null && !parseColour(text), property, () => `${quoted(text ?? '')} is no colour`);
      }),
  },
  {
    id: 'invisible-text',
    severity: 'warning',
    wallet: 'all',
    title: 'Text has the colour of its background',
    why: 'The text is invisible.',
    fix: 'choose colours with a contrast of at least 4.5 to 1',
    template: contrastsBetween(0, invisible),
  },
  {
    id: 'low-contrast',
    severity: 'warning',
    wallet: 'all',
    title: 'Text hardly stands out from its background',
    why: 'Below 3 to 1 many people cannot read it, and it is unreadable in sunlight.',
    fix: 'choose colours with a contrast of at least 4.5 to 1',
    template: contrastsBetween(invisible, 3),
  },
  {
    id: 'weak-contrast',
    severity: 'info',
    wallet: 'all',
    title: 'Text has less contrast than accessibility guidelines require',
    why: 'WCAG 2.2 AA requires 4.5 to 1 for text of normal size.',
    fix: 'choose colours with a contrast of at least 4.5 to 1',
    template: contrastsBetween(3, 4.5),
  },
  {
    id: 'translucent-colour',
    severity: 'info',
    wallet: 'all',
    title: 'A colour is translucent',
    why: 'The mobile wallets only have opaque colours. They mix it with the background, and the background with white.',
    fix: 'use the mixed colour itself',
    template: (template) =>
      properties.flatMap((property) => {
        const text = template[property] ?? '';
        const alpha = parseColour(text)?.alpha ?? 1;
        return problemIf(alpha < 1, property, () => `${quoted(text)} is shown as if it were opaque`);
      }),
  },
];
