import type { RenderTemplate } from '../model.js';
import type { Rule } from '../finding.js';
import { inAllLanguages } from './in-all-languages.js';
import { problemIf, quoted } from '../problem-text.js';

const longIssuerName = 40;
const longTitle = 100;

const isLabelled = ({ type }: RenderTemplate) => type === 'generic' || type === 'membership';

/** Rules on the texts that every pass needs and the content of each type. */
export const contentRules: readonly Rule[] = [
  {
    id: 'text-missing',
    severity: 'error',
    wallet: 'all',
    title: 'A required text is empty',
    why: 'Title and issuer become description and organisation name. Apple Wallet rejects a pass without them.',
    fix: 'give a text of at least one character',
    template: (template) =>
      (['title', 'issuerName', 'primaryLabel'] as const).flatMap((property) => {
        const isNeeded = property !== 'primaryLabel' || isLabelled(template);
        return problemIf(isNeeded && !template[property], property, () => `${property} is empty`);
      }),
  },
  {
    id: 'long-issuer-name',
    severity: 'warning',
    wallet: 'walletA',
    title: "The issuer's name is too long for a notification",
    why: 'It is the heading of every line on the lock screen, which has room for a few words.',
    fix: `at most ${longIssuerName} characters`,
    template: inAllLanguages(({ issuerName }) =>
      problemIf(issuerName.length > longIssuerName, 'issuerName', () => `${issuerName.length} characters are cut`),
    ),
  },
  {
    id: 'long-title',
    severity: 'warning',
    wallet: 'walletA',
    title: 'The title is too long to read aloud',
    why: 'VoiceOver reads it aloud for each pass in a list.',
    fix: `at most ${longTitle} characters`,
    template: inAllLanguages(({ title }) =>
      problemIf(title.length > longTitle, 'title', () => `${title.length} characters are too many`),
    ),
  },
  {
    id: 'primary-value-missing',
    severity: 'error',
    wallet: 'all',
    title: 'A pass lacks the primary value that its type needs',
    why: 'Generic passes and memberships show it as their large text.',
    fix: 'give a text of at least one character',
    pass: ({ primaryValue }, template) =>
      problemIf(isLabelled(template) && !primaryValue, 'primaryValue', () => {
        return `primaryValue is required: it is the value of ${quoted(template.primaryLabel ?? '')}`;
      }),
  },
  {
    id: 'primary-value-unused',
    severity: 'error',
    wallet: 'all',
    title: 'A pass has a primary value that its type does not show',
    why: 'Offers and events show their title instead.',
    fix: 'leave it out, or use a field',
    pass: ({ primaryValue }, template) =>
      problemIf(!isLabelled(template) && primaryValue !== null, 'primaryValue', () => {
        return `primaryValue is for generic and membership templates, and this one is of type ${template.type}`;
      }),
  },
  {
    id: 'thumbnail-unused',
    severity: 'error',
    wallet: 'all',
    title: 'A pass has a thumbnail that its type does not show',
    why: 'Only generic passes have room for a thumbnail.',
    fix: 'leave it out',
    pass: ({ thumbnailUrl }, { type }) =>
      problemIf(type !== 'generic' && (thumbnailUrl ?? null) !== null, 'thumbnail', () => {
        return `thumbnail is for generic templates only, and this one is of type ${type}`;
      }),
  },
];
