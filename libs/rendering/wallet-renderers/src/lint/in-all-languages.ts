import type { RenderTemplate } from '../model.js';
import { templateInLanguage } from '../translations/in-language.js';
import type { Rule } from './finding.js';
import { translationPath } from './wording.js';

type TemplateCheck = NonNullable<Rule['template']>;

/** The maximum number of languages of a saved template. */
const mostLanguages = 40;
/** The maximum number of problems of a rule in other languages. */
const mostProblems = 20;

/** Builds a check of the texts of a template that also examines its translations, under their own paths. */
export function inAllLanguages(check: TemplateCheck): TemplateCheck {
  return (template, facts) => {
    const others = Object.entries(template.translations ?? {})
      .slice(0, mostLanguages)
      .flatMap(([language, table]) =>
        check(templateInLanguage(template, language), facts).flatMap((problem) => {
          const key = translationKey(problem.path, template);
          // A problem of a text that the language does not have is one of the template or of a more general tag.
          const isOwn = key !== null && Object.hasOwn(table, key);
          return isOwn ? [{ ...problem, path: translationPath(language, key) }] : [];
        }),
      );
    return [...check(template, facts), ...others.slice(0, mostProblems)];
  };
}

/** Returns the key of a text in `translations`, or null for a path that is not one of a text. */
function translationKey(path: string, template: RenderTemplate): string | null {
  const item = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(path);
  if (!item) return path === '' ? null : path;
  const [, list, index, part] = item;
  if (list === 'fields' || list === 'backFields') {
    const field = template[list][Number(index)];
    return field ? `${list}.${field.key}.${part}` : null;
  }
  return `${list}.${index}.${part}`;
}
