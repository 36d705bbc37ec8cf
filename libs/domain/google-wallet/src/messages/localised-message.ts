import type { GoogleLocalizedText, GoogleMessage } from '@passwright/core';
import type { TextsByLanguage, TimelyMessage } from '@passwright/passes';
import { ownLanguage } from '@passwright/wallet-renderers';
import type { StoredMessage } from './google-messages.js';

/** Returns a message with its texts in all languages, in Google's form. @param fallback the installation's language */
export function localisedMessage(message: TimelyMessage, fallback: string | undefined): StoredMessage {
  const { language, translations, ...own } = message;
  return { ...own, ...localisedTexts(own, ownLanguage({ language }, fallback), translations ?? {}) };
}

/**
 * Returns the localised versions of the texts of a message; none without translations.
 * @param language the language of the texts
 */
export function localisedTexts(
  { header, body }: Pick<GoogleMessage, 'header' | 'body'>,
  language: string,
  translations: TextsByLanguage,
): Pick<GoogleMessage, 'localizedHeader' | 'localizedBody'> {
  const others = Object.entries(translations).filter(([tag]) => tag !== language);
  if (others.length === 0) return {};
  const twin = (own: string, part: 'header' | 'body'): GoogleLocalizedText => ({
    defaultValue: { language, value: own },
    translatedValues: others.map(([tag, texts]) => ({ language: tag, value: texts[part] })),
  });
  return { localizedHeader: twin(header, 'header'), localizedBody: twin(body, 'body') };
}
