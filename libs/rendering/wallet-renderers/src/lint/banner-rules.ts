import { appleFields } from '../apple/pass-fields.js';
import { textLineHeight } from '../apple/poster-layout.js';
import { primarySizes, primaryTop, stripHeights, stripLayout } from '../apple/strip-layout.js';
import type { RenderTemplate } from '../model.js';
import type { Rule } from '../finding.js';
import { anyPass } from './front-rules.js';
import { contrastChecks, letterWidth, type PlacedText, requiredContrast } from './text-contrast.js';
import { textWidth } from './text-width.js';

/** The assumed length, in letters, of the primary value, which each pass sets. */
const likelyLetters = 10;
/** The size in points from which text is considered large. */
const large = 24;
const inner = stripLayout.width - 2 * stripLayout.margin;

/** Returns the texts of the primary field with their positions on the banner. */
function textsOf(template: RenderTemplate): PlacedText[] {
  const [primary] = appleFields(template, anyPass).primaryFields;
  if (!primary) return [];
  const { label = '', value } = primary;
  const letters = primary.key === '_primary' ? likelyLetters : textWidth(value);
  const { most, least } = primarySizes(template.type, true);
  const size = Math.max(least, Math.min(most, inner / (letters * letterWidth || 1)));
  const top = primaryTop(stripHeights[template.type], size * textLineHeight, label !== '');
  const width = (of: number, each: number) => Math.min(inner, of * letterWidth * each);
  const shown = { x: stripLayout.margin, y: top, size, width: width(letters, size) };
  const below = { x: stripLayout.margin, y: top + size * textLineHeight + 1, size: stripLayout.labelSize };
  const required = size < large ? requiredContrast.normal : requiredContrast.large;
  return [
    // Name the label in the error, because each pass has its own primary value.
    { ...shown, text: primary.key === '_primary' ? label : value, colour: 'foregroundColor', required },
    ...(label === ''
      ? []
      : [
          {
            ...below,
            text: label,
            width: width(textWidth(label), stripLayout.labelSize),
            colour: 'labelColor' as const,
            required: requiredContrast.normal,
          },
        ]),
  ];
}

const { hidden, weak } = contrastChecks({
  purpose: 'banner',
  sizeIn: ({ type }) => (stripHeights[type] === 0 ? null : { width: stripLayout.width, height: stripHeights[type] }),
  textsOn: textsOf,
});

const fix = 'use a banner that is calm on its left, or texts in another colour';

/** Rules on the texts that Apple Wallet writes on the banner: the title, or the primary value and its label. */
export const bannerRules: readonly Rule[] = [
  {
    id: 'banner-hides-text',
    severity: 'warning',
    wallet: 'walletA',
    title: 'Text hardly stands out from the banner below it',
    why: 'Apple Wallet writes the title of an offer or event, and the primary value of a membership, on the banner. Below a contrast of 3 to 1, many people cannot read them.',
    fix,
    template: hidden,
  },
  {
    id: 'banner-weak-contrast',
    severity: 'info',
    wallet: 'walletA',
    title: 'Text on the banner has less contrast than accessibility guidelines require',
    why: 'WCAG 2.2 AA requires 4.5 to 1 for text of normal size, such as the label of a primary value, and 3 to 1 for a large title.',
    fix,
    template: weak,
  },
];
