import { actionRules } from './action-rules.js';
import { artworkRules } from './artwork-rules.js';
import { bannerRules } from './banner-rules.js';
import { codeRules } from './code-rules.js';
import { colourRules } from './colour-rules.js';
import { contentRules } from './content-rules.js';
import { dateRules } from './date-rules.js';
import { fieldRules } from './field-rules.js';
import type { Rule } from '../finding.js';
import { frontRules } from './front-rules.js';
import { googleImageRules } from './google-image-rules.js';
import { googleRules } from './google-rules.js';
import { groupRules } from './group-rules.js';
import { imageRules } from './image-rules.js';
import { placeRules } from './place-rules.js';
import { serviceRules } from './service-rules.js';
import { translationRules } from './translation-rules.js';
import { valueRules } from './value-rules.js';

/** The rules by theme, in the order of `docs/template-lint.md`, which is generated from them. */
export const ruleThemes: readonly { readonly theme: string; readonly rules: readonly Rule[] }[] = [
  { theme: 'Fields', rules: fieldRules },
  { theme: 'Room on the front', rules: frontRules },
  { theme: 'Values and the back', rules: valueRules },
  { theme: 'Texts and types', rules: contentRules },
  { theme: 'Translations', rules: translationRules },
  { theme: 'Colours', rules: colourRules },
  { theme: 'Images', rules: [...imageRules, ...artworkRules, ...bannerRules] },
  { theme: 'Locations', rules: placeRules },
  { theme: 'Codes', rules: codeRules },
  { theme: 'Dates', rules: dateRules },
  { theme: 'Actions', rules: actionRules },
  { theme: 'Groups', rules: groupRules },
  { theme: 'Google Wallet', rules: [...googleRules, ...googleImageRules] },
  { theme: 'Service and drafts', rules: serviceRules },
];

/** All rules of the template lint. Their ids are stable: a rule may be removed, but its meaning never changes. */
export const lintRules: readonly Rule[] = ruleThemes.flatMap(({ rules }) => rules);
