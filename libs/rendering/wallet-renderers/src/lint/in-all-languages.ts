import type { FieldSets, RenderPass, RenderTemplate, Translations } from '../model.js';
import { inLanguage, templateInLanguage } from '../translations/in-language.js';
import type { Problem, Rule } from './finding.js';
import { translationPath } from './wording.js';

type TemplateCheck = NonNullable<Rule['template']>;
type PassCheck = NonNullable<Rule['pass']>;

/** The maximum number of languages of a saved template or pass. */
const mostLanguages = 40;
/** The maximum number of problems of a rule in other languages. */
const mostProblems = 20;

/** Builds a check of the texts of a template that also examines its translations, under their own paths. */
export function inAllLanguages(check: TemplateCheck): TemplateCheck {
  return (template, facts) => [
    ...check(template, facts),
    ...inOtherLanguages(template, (language) => check(templateInLanguage(template, language), facts)),
  ];
}

/** Builds a check of the texts of a pass that also examines its translations, under their own paths. */
export function inAllLanguagesOfPass(check: PassCheck): PassCheck {
  return (pass, template, facts) => [
    ...check(pass, template, facts),
    ...inOtherLanguages(pass, (language) => {
      const own = { ...notIssued, ...pass, code: pass.code ?? '' };
      const shown = inLanguage<RenderTemplate, RenderPass>(template, own, language);
      return check({ ...pass, ...shown.pass, code: pass.code }, shown.template, facts);
    }),
  ];
}

/** The parts that a pass has once it is issued. */
const notIssued = { serialNumber: '', voidedAt: null, expiredAt: null, redeemedAt: null };

/** Returns the problems of the texts that a language has, under their paths in `translations`. */
function inOtherLanguages(
  document: FieldSets & { readonly translations?: Translations | null },
  check: (language: string) => readonly Problem[],
): Problem[] {
  const found = Object.entries(document.translations ?? {})
    .slice(0, mostLanguages)
    .flatMap(([language, table]) =>
      check(language).flatMap((problem) => {
        const key = translationKey(problem.path, document);
        // If the language lacks the text, the problem belongs to the document or to a more general tag.
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
