import type { Template } from '@passwright/templates';
import { type FrontChange, titleInLanguage, translatedLanguages } from '@passwright/wallet-renderers';
import type { ChangedFront, PassSerial } from './pass.listener.js';

/** Returns the title of a template in all its languages. */
export function titlesOf(
  template: Pick<Template, 'title' | 'language' | 'translations'>,
): Pick<ChangedFront, 'title' | 'language' | 'titles'> {
  const { title, language } = template;
  const titles = translatedLanguages(template).map((each) => [each, titleInLanguage(template, each)]);
  return { title, language, titles: Object.fromEntries(titles) as Record<string, string> };
}

/**
 * Returns the changed front of a pass. Marks the primary value of a managed pass as personal, because it is stored
 * encrypted.
 */
export function changedFront(
  template: Template,
  { accountId, serialNumber, managedBy }: PassSerial & { readonly managedBy: 'member' | null },
  changes: readonly FrontChange[],
): ChangedFront {
  const marked = changes.map((change) => {
    return managedBy && change.key === '_primary' ? { ...change, isPersonal: true } : change;
  });
  return { accountId, serialNumber, ...titlesOf(template), changes: marked };
}
