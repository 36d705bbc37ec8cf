import { ValidationFailed } from '@passwright/core';
import { storedTranslations, type Template } from '@passwright/templates';
import {
  messageInLanguage,
  type MessageTranslations,
  templateInLanguage,
  translatedLanguages,
  type Translations,
} from '@passwright/wallet-renderers';
import { messageLimits } from './message-request.dto.js';
import type { MessageRow } from './message.entity.js';

/** Returns requested translations in their stored form; null if there are none. @throws ValidationFailed */
export function messageTranslations(requested: Translations | null | undefined): MessageTranslations | null {
  for (const [language, texts] of Object.entries(requested ?? {})) {
    const problem = problemOf(texts);
    if (problem) throw new ValidationFailed(`translations[${JSON.stringify(language)}]${problem}`);
  }
  return storedTranslations(requested) as MessageTranslations | null;
}

function problemOf(texts: Translations[string]): string | null {
  const unknown = Object.keys(texts).find((key) => !Object.hasOwn(messageLimits, key));
  if (unknown !== undefined) return `: ${JSON.stringify(unknown)} is not "title" or "text"`;
  if (texts.text === undefined) return ' must have a text';
  const { title, text } = texts;
  if (title !== undefined && /[\n\t]/.test(title)) return '.title must be a single line: no line breaks or tabs';
  return lengthProblem('text', text) ?? (title === undefined ? null : lengthProblem('title', title));
}

function lengthProblem(name: keyof typeof messageLimits, text: string): string | null {
  if (text.trim() === '') return `.${name} must not be blank`;
  const most = messageLimits[name];
  return text.length > most ? `.${name} must be at most ${most} characters` : null;
}

/**
 * Returns a message as Google shows it, in all languages of the message and of the template. The heading of a message
 * without a title is the name of the issuer.
 */
export function textsAtGoogle(template: Template, message: Pick<MessageRow, 'title' | 'text' | 'translations'>) {
  const textsIn = (language: string) => {
    const { title, text } = messageInLanguage(message, language);
    return { header: title ?? templateInLanguage(template, language).issuerName, body: text };
  };
  const languages = translatedLanguages(message, message.title === null ? template : {});
  return {
    header: message.title ?? template.issuerName,
    language: template.language,
    ...(languages.length > 0 && {
      translations: Object.fromEntries(languages.map((language) => [language, textsIn(language)])),
    }),
  };
}
