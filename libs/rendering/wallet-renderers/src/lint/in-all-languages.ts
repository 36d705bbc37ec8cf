import type { FieldSets, RenderPass, RenderTemplate, Translations } from '../model.js';
import { inLanguage, templateInLanguage } from '../translations/in-language.js';
import type { ExaminedPass, Facts, Problem, Rule } from '../finding.js';
import { translationPath } from '../problem-text.js';

type TemplateCheck = NonNullable<Rule['template']>;
type PassCheck = NonNullable<Rule['pass']>;

/** The maximum number of languages of a saved template or pass. */
const mostLanguages = 40;
/** The maximum number of problems that a rule reports for other languages. */
const mostProblems = 20;

/**
 * Builds a check that examines the texts of a template and all their translations. Reports a translation under its own
 * path.
 */
export function inAllLanguages(check: TemplateCheck): TemplateCheck {
  return (template, facts) => [
    ...check(template, facts),
    ...inOtherLanguages(template, (language) => check(examinedTemplateInLanguage(template, language, facts), facts)),
  ];
}

/**
 * Builds a check that examines the texts of a pass and all their translations. Reports a translation under its own
 * path.
 */
export function inAllLanguagesOfPass(check: PassCheck): PassCheck {
  return (pass, template, facts) => [
    ...check(pass, template, facts),
    ...inOtherLanguages(pass, (language) => {
      const shown = examinedPassInLanguage(pass, template, language, facts);
      return check(shown.pass, shown.template, facts);
    }),
  ];
}

/** Placeholders for the properties that a pass gets when it is issued. */
const notIssued = { serialNumber: '', voidedAt: null, expiredAt: null, redeemedAt: null };

/** A pass and its template in one language. */
interface InLanguage {
  readonly template: RenderTemplate;
  readonly pass: ExaminedPass;
}

/**
 * The translated templates and passes of each lint run, which all rules of the run share. A `Facts` object identifies
 * the run.
 */
const translatedTemplates = new WeakMap<Facts, WeakMap<RenderTemplate, Map<string, RenderTemplate>>>();
const translatedPasses = new WeakMap<Facts, WeakMap<ExaminedPass, Map<string, InLanguage>>>();

/** Returns a template in a language, as `templateInLanguage` does. Translates it only once per lint run. */
export function examinedTemplateInLanguage(template: RenderTemplate, language: string, facts: Facts): RenderTemplate {
  return once(translatedTemplates, facts, template, language, () => templateInLanguage(template, language));
}

function examinedPassInLanguage(
  pass: ExaminedPass,
  template: RenderTemplate,
  language: string,
  facts: Facts,
): InLanguage {
  return once(translatedPasses, facts, pass, language, () => {
    const own = { ...notIssued, ...pass, code: pass.code ?? '' };
    const shown = inLanguage<RenderTemplate, RenderPass>(template, own, language);
    return { template: shown.template, pass: { ...pass, ...shown.pass, code: pass.code } };
  });
}

/** Returns the result for a document in a language. Computes the result once per lint run and caches it. */
function once<Document extends object, Result>(
  known: WeakMap<Facts, WeakMap<Document, Map<string, Result>>>,
  facts: Facts,
  document: Document,
  language: string,
  make: () => Result,
): Result {
  const documents = known.get(facts) ?? new WeakMap<Document, Map<string, Result>>();
  const results = documents.get(document) ?? new Map<string, Result>();
  const result = results.get(language) ?? make();
  known.set(facts, documents.set(document, results.set(language, result)));
  return result;
}

/** Returns the problems of the texts that are translated into a language, under their paths in `translations`. */
function inOtherLanguages(
  document: FieldSets & { readonly translations?: Translations | null },
  check: (language: string) => readonly Problem[],
): Problem[] {
  const found = Object.entries(document.translations ?? {})
    .slice(0, mostLanguages)
    .flatMap(([language, table]) =>
      check(language).flatMap((problem) => {
        const key = translationKey(problem.path, document);
        // Skip the problem if this language has no translation of its own, because it is reported for the text that
        // readers see.
        const isOwn = key !== null && Object.hasOwn(table, key);
        return isOwn ? [{ ...problem, path: translationPath(language, key) }] : [];
      }),
    );
  return found.slice(0, mostProblems);
}

/** Returns the key of a text in `translations`, or null for a path that does not name a text. */
function translationKey(path: string, sets: FieldSets): string | null {
  const item = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(path);
  if (!item) return path === '' ? null : path;
  const [, list, index, part] = item;
  if (list === 'fields' || list === 'backFields') {
    const field = sets[list][Number(index)];
    return field ? `${list}.${field.key}.${part}` : null;
  }
  return `${list}.${index}.${part}`;
}
