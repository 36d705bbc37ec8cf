import { opaqueColour } from '../colour.js';
import type { FieldSets, RenderTemplate } from '../model.js';
import type { Problem, Rule } from '../finding.js';
import { inAllLanguages, inAllLanguagesOfPass } from './in-all-languages.js';
import { problemIf, quoted } from '../problem-text.js';

/** The maximum lengths in characters that Google recommends, so that small screens show the whole text. */
const longest = { issuerName: 20, offerTitle: 60, programName: 20, accountLabel: 15, accountName: 20 };
const longestOfField = { label: 35, value: 500 };

/** The maximum difference between red, green and blue in a colour that looks grey. */
const greyTolerance = 32;

function tooLong(path: string, text: string | null, limit: number): Problem[] {
  const problems = problemIf((text ?? '').length > limit, path, () => {
    return `${quoted(text ?? '')} has ${(text ?? '').length} characters`;
  });
  return problems.map((problem) => ({ ...problem, fix: `at most ${limit} characters` }));
}

function longTexts({ type, title, issuerName, primaryLabel }: RenderTemplate): Problem[] {
  return [
    ...(type === 'offer' ? tooLong('title', title, longest.offerTitle) : []),
    ...(type === 'membership' ? tooLong('title', title, longest.programName) : []),
    ...(type === 'membership' ? tooLong('primaryLabel', primaryLabel, longest.accountLabel) : []),
    ...tooLong('issuerName', issuerName, longest.issuerName),
  ];
}

function longFields(sets: FieldSets): Problem[] {
  return (['fields', 'backFields'] as const).flatMap((side) =>
    sets[side].flatMap(({ label, value }, index) => [
      ...tooLong(`${side}[${index}].label`, label, longestOfField.label),
      ...tooLong(`${side}[${index}].value`, value, longestOfField.value),
    ]),
  );
}

function isColourful(text: string, background: string): boolean {
  const colour = opaqueColour(text, background);
  if (!colour) return false;
  const channels = [colour.r, colour.g, colour.b];
  return Math.max(...channels) - Math.min(...channels) > greyTolerance;
}

/** Rules that apply only to Google Wallet. */
export const googleRules: readonly Rule[] = [
  {
    id: 'google-long-text',
    severity: 'info',
    wallet: 'walletB',
    title: 'A text is longer than Google recommends',
    why: 'Google Wallet shortens it on small screens, where other wallets may still show all of it.',
    fix: 'make it shorter',
    template: inAllLanguages((template) => [...longTexts(template), ...longFields(template)]),
    pass: inAllLanguagesOfPass((pass, { type }) => [
      ...(type === 'membership' ? tooLong('primaryValue', pass.primaryValue, longest.accountName) : []),
      ...longFields(pass),
    ]),
  },
  {
    id: 'google-text-colour',
    severity: 'info',
    wallet: 'walletB',
    title: 'The texts have their own colour',
    why: 'Google Wallet uses only the background colour, and writes in black or white, whichever is readable on it.',
    fix: 'change nothing, unless the pass must look the same everywhere: then use black or white',
    template: ({ foregroundColor, labelColor, backgroundColor }) =>
      (
        [
          ['foregroundColor', foregroundColor],
          ['labelColor', labelColor],
        ] as const
      ).flatMap(([path, text]) =>
        problemIf(text !== null && isColourful(text, backgroundColor), path, () => `${quoted(text ?? '')} is not used`),
      ),
  },
];
