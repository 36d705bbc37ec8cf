import leven from 'leven';
import { actionAddress, addressFault } from '../actions.js';
import { changeMessagePattern } from '../apple/change-message.js';
import { characterCount } from '../character-count.js';
import type { RenderTemplate, Translations } from '../model.js';
import { ownLanguage, translatedLanguages } from '../translations/in-language.js';
import { bestLanguage } from '../translations/language-tag.js';
import { imageKey, localisedPurposes, maxImageAddress, maxLocalisedImages } from '../translations/localised-images.js';
import { textsOfPass, textsOfTemplate, type TranslatableText } from '../translations/translatable-texts.js';
import { linkOf } from '../value-link.js';
import type { ExaminedPass, Facts, Problem, Rule } from '../finding.js';
import { problemIf, quoted, translationPath } from '../problem-text.js';

/** The maximum number of problems that a rule reports. */
const mostProblems = 20;
/** The maximum number of letters in which a misspelt key differs from the right one. */
const misspelt = 3;

/** The translations of a document with the texts that they may translate. */
interface Subject {
  readonly translations: Translations;
  readonly texts: readonly TranslatableText[];
  /** Returns a fix for an unknown key, if it differs from the fix of the rule. */
  readonly fixOf?: (key: string) => string;
}

/** Builds the checks of a rule on the translations of templates and passes. */
function inBoth(check: (subject: Subject) => readonly Problem[]): Pick<Rule, 'template' | 'pass'> {
  const first = (subject: Subject | null) => (subject ? check(subject).slice(0, mostProblems) : []);
  return {
    template: (template, facts) => first(ofTemplate(template, facts)),
    pass: (pass, template) => first(ofPass(pass, template)),
  };
}

function ofTemplate(template: RenderTemplate, facts: Facts): Subject | null {
  const { translations } = template;
  return translations ? { translations, texts: [...textsOfTemplate(template), ...imagesOf(facts)] } : null;
}

/** Returns the images whose address may differ by language. */
function imagesOf({ images }: Facts): TranslatableText[] {
  const named = localisedPurposes.filter((purpose) => images === null || images[purpose] !== undefined);
  return named.map((purpose) => {
    return { key: imageKey(purpose), text: purpose, max: maxImageAddress, multiline: false, isChangeMessage: false };
  });
}

function ofPass(pass: ExaminedPass, template: RenderTemplate): Subject | null {
  const { translations } = pass;
  if (!translations) return null;
  const texts = textsOfPass(template, pass);
  return { translations, texts, fixOf: (key) => fixInPass(key, texts, template) };
}

/** Returns the fix of an unknown key in a pass. Never suggests a text that only the template can translate. */
function fixInPass(key: string, [first]: readonly TranslatableText[], template: RenderTemplate): string {
  if (textsOfTemplate(template).some((text) => text.key === key)) return 'translate it in the template';
  const other = first ? `use the key of a text of the pass, such as ${quoted(first.key)}, or ` : '';
  return `${other}remove the translation`;
}

interface Translation {
  readonly path: string;
  readonly key: string;
  readonly text: string;
}

function translationsIn({ translations }: Subject): Translation[] {
  return Object.entries(translations).flatMap(([language, table]) =>
    Object.entries(table).map(([key, text]) => ({ path: translationPath(language, key), key, text })),
  );
}

/** The limits for comparing keys. Drafts may have many long keys, and comparing all of them would take a second. */
const MOST_COMPARED = 300;
const LONGEST_COMPARED = 100;

function unknownKeys(subject: Subject): Problem[] {
  const known = new Set(subject.texts.map(({ key }) => key));
  const unknown = translationsIn(subject).filter(({ key }) => !known.has(key));
  return unknown.slice(0, mostProblems).map(({ path, key }) => {
    const meant = closestTo(key, known);
    const fix = meant === undefined ? subject.fixOf?.(key) : `did you mean ${quoted(meant)}?`;
    return { path, message: 'it matches no text', ...(fix !== undefined && { fix }) };
  });
}

function closestTo(key: string, known: ReadonlySet<string>): string | undefined {
  if (known.size > MOST_COMPARED || key.length > LONGEST_COMPARED) return undefined;
  const near = [...known].flatMap((each) => {
    // Skip keys of very different lengths, because computing the distance takes time.
    const distance = Math.abs(each.length - key.length) <= misspelt ? leven(each, key) : Infinity;
    return distance <= misspelt ? [{ each, distance }] : [];
  });
  return near.sort((a, b) => a.distance - b.distance)[0]?.each;
}

function wrongForms(subject: Subject): Problem[] {
  const texts = new Map(subject.texts.map((text) => [text.key, text]));
  return translationsIn(subject).flatMap(({ path, key, text }) => {
    const original = texts.get(key);
    const message = original && problemWith(text, original);
    return message ? [{ path, message }] : [];
  });
}

function problemWith(text: string, original: TranslatableText): string | null {
  const { max, multiline, isChangeMessage, addressOf } = original;
  if (text.trim() === '') return 'it is empty';
  const count = characterCount(text);
  if (count > max) return `it has ${count} characters, and at most ${max} are allowed`;
  if (!multiline && /[\n\t]/.test(text)) return 'it has line breaks or tabs, and its text is a single line';
  if (isChangeMessage && !changeMessagePattern.test(text)) return `${quoted(text)} does not have exactly one "%@"`;
  if (addressOf && actionAddress({ type: addressOf, url: text }) === null) {
    return `${quoted(text)} ${addressFault({ type: addressOf, url: text })}`;
  }
  return null;
}

/**
 * Finds texts that a language does not translate although other languages do. A tag with a region, such as `de-AT`,
 * need not repeat the translations of `de`.
 */
function missingTexts({ translations, texts }: Subject): Problem[] {
  const languages = Object.keys(translations);
  const has = (language: string, key: string) => Object.hasOwn(translations[language] ?? {}, key);
  const wanted = texts.filter(({ key }) => languages.some((language) => has(language, key)));
  return languages.flatMap((language) => {
    const general = languages.filter((other) => language.startsWith(`${other}-`));
    const missing = wanted.filter(({ key }) => ![language, ...general].some((each) => has(each, key)));
    if (missing.length === 0) return [];
    return [{ path: translationPath(language), message: `only other languages translate ${some(missing)}` }];
  });
}

/** The keys of texts that are often the same in every language: names, places, and addresses of pages. */
const sameEverywhere = /^(?:issuerName|locations?\..*|actions\..*)$/;

/** Finds texts of a translated template that have no translation at all. Numbers and links need no translation. */
function untranslated(template: RenderTemplate): Problem[] {
  const tables = Object.values(template.translations ?? {});
  const left = textsOfTemplate(template).filter(
    ({ key, text }) =>
      !sameEverywhere.test(key) &&
      /\p{L}{2}/u.test(text) &&
      linkOf(text) === null &&
      !tables.some((table) => Object.hasOwn(table, key)),
  );
  return problemIf(tables.length > 0 && left.length > 0, 'translations', () => `no language translates ${some(left)}`);
}

/** Names the first texts, and states how many more there are. */
function some(texts: readonly TranslatableText[]): string {
  const names = texts.slice(0, 3).map(({ key }) => quoted(key));
  return `${names.join(', ')}${texts.length > names.length ? ` and ${texts.length - names.length} more` : ''}`;
}

/** Reports the language of a pass's holder if the pass is translated, but not into that language. */
function missingLanguage(pass: ExaminedPass, template: RenderTemplate, facts: Facts): Problem[] {
  const { language } = pass;
  const translated = translatedLanguages(template, pass);
  if (!language || translated.length === 0) return [];
  const known = [ownLanguage(template, facts.language), ...translated];
  const message = () => `there are only texts in ${known.join(', ')}`;
  return problemIf(bestLanguage([language], known) === null, 'language', message);
}

function tooManyImages({ translations }: RenderTemplate): Problem[] {
  const tables = Object.values(translations ?? {});
  const images = tables.flatMap((table) =>
    localisedPurposes.filter((purpose) => Object.hasOwn(table, imageKey(purpose))),
  );
  const message = () => `${images.length} images in other languages`;
  return problemIf(images.length > maxLocalisedImages, 'translations', message);
}

/** Reports a pass with its own thumbnail, which all holders see instead of the template's thumbnail in their language. */
function hiddenImage({ thumbnailUrl }: ExaminedPass, { translations }: RenderTemplate): Problem[] {
  const key = imageKey('thumbnail');
  const languages = Object.entries(translations ?? {}).flatMap(([tag, table]) =>
    Object.hasOwn(table, key) ? [tag] : [],
  );
  const message = () => `it replaces the thumbnails of the template in ${languages.join(', ')} too`;
  return problemIf(Boolean(thumbnailUrl) && languages.length > 0, 'thumbnail', message);
}

/** Rules on the translations of texts. */
export const translationRules: readonly Rule[] = [
  {
    id: 'translation-unknown-key',
    severity: 'error',
    wallet: 'all',
    title: 'A translation matches no text',
    why: 'No wallet would show it. Its key is misspelt, or its text is empty or gone.',
    fix: 'use the key of a text, such as `title` or `fields.<key>.label`, or remove the translation',
    ...inBoth(unknownKeys),
  },
  {
    id: 'translation-form',
    severity: 'error',
    wallet: 'all',
    title: 'A translation does not have the form of its text',
    why: 'Wallets show it in the same place as the text, so the same limits apply.',
    fix: 'give it the form of the text that it translates',
    ...inBoth(wrongForms),
  },
  {
    id: 'translation-missing',
    severity: 'warning',
    wallet: 'all',
    title: 'A language lacks texts that other languages have',
    why: 'Readers of this language see these texts in the language of the template, and the others in their own.',
    fix: 'translate them',
    ...inBoth(missingTexts),
  },
  {
    id: 'text-untranslated',
    severity: 'info',
    wallet: 'all',
    title: 'No language translates a text of a translated template',
    why: 'All holders see this text in the language of the template, even if they see the other texts in their own.',
    fix: 'translate it, or change nothing if it is the same in every language',
    template: untranslated,
  },
  {
    id: 'translation-language-missing',
    severity: 'warning',
    wallet: 'all',
    title: 'A pass has no texts in the language of its holder',
    why: 'The template is translated, but its holder sees the texts of another language.',
    fix: 'add translations into this language',
    pass: missingLanguage,
  },
  {
    id: 'too-many-localised-images',
    severity: 'error',
    wallet: 'all',
    title: `There are more than ${maxLocalisedImages} images in other languages`,
    why: 'The package of each pass has the images of every language, so it would become too large.',
    fix: `at most ${maxLocalisedImages}; translate only images with words`,
    template: tooManyImages,
  },
  {
    id: 'localised-image-hidden',
    severity: 'info',
    wallet: 'all',
    title: 'An image of a pass hides those of other languages',
    why: "A pass has one thumbnail for all languages, which all its holders see instead of the template's.",
    fix: 'leave it out, unless it suits all languages',
    pass: hiddenImage,
  },
];
