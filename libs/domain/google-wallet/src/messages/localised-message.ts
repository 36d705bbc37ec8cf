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
 * Returns the localised versions of a message's texts; an empty object if the message has no translations.
 * @param texts the texts in `language`; a translation into `language` replaces them
 */
export function localisedTexts(
  texts: Pick<GoogleMessage, 'header' | 'body'>,
  language: string,
  translations: TextsByLanguage,
): Pick<GoogleMessage, 'localizedHeader' | 'localizedBody'> {
  const { [language]: own = texts, ...others } = translations;
  if (Object.keys(translations).length === 0) return {};
  const twin = (part: 'header' | 'body'): GoogleLocalizedText => ({
    defaultValue: { language, value: own[part] },
    translatedValues: Object.entries(others).map(([tag, other]) => ({ language: tag, value: other[part] })),
  });
  return { localizedHeader: twin('header'), localizedBody: twin('body') };
}
