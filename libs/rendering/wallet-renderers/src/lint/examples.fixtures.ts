import { actionExamples } from './action-examples.fixtures.js';
import { appearanceExamples } from './appearance-examples.fixtures.js';
import { fieldExamples } from './field-examples.fixtures.js';
import { groupExamples } from './group-examples.fixtures.js';
import type { Example } from './lint-subject.fixtures.js';
import { translationExamples } from './translation-examples.fixtures.js';
import { useExamples } from './use-examples.fixtures.js';

/** Examples of faulty and valid content for each rule. */
export const examples: Record<string, Example> = {
  ...fieldExamples,
  ...translationExamples,
  ...appearanceExamples,
  ...useExamples,
  ...actionExamples,
  ...groupExamples,
};
