import { type Body, itemsOf, textOf } from './template.js';

/** The texts of a field that holders see. */
const texts = ['label', 'value', 'changeMessage'] as const;

/**
 * Returns the merge patch that replaces a text everywhere on a pass; null if the pass does not contain the text. The
 * search is case-sensitive. Lists of fields are sent whole.
 */
export function replacement(pass: Body, find: string, by: string): Body | null {
  if (find === '') return null;
  const replaced = (text: string) => replacedIn(text, find, by);
  const primary = textOf(pass, 'primaryValue');
  const lists = (['fields', 'backFields'] as const).flatMap((name) => {
    const before = itemsOf(pass, name);
    const after = before.map((field) => {
      const own = texts.filter((name) => typeof field[name] === 'string');
      return { ...field, ...Object.fromEntries(own.map((name) => [name, replaced(textOf(field, name))])) };
    });
    return JSON.stringify(after) === JSON.stringify(before) ? [] : [[name, after] as const];
  });
  const patch = {
    ...(replaced(primary) !== primary && { primaryValue: replaced(primary) }),
    ...Object.fromEntries(lists),
  };
  return Object.keys(patch).length > 0 ? patch : null;
}

/** Replaces a text, except where it is already part of its replacement. */
function replacedIn(text: string, find: string, by: string): string {
  const parts = by.includes(find) ? text.split(by) : [text];
  return parts.map((part) => part.replaceAll(find, () => by)).join(by);
}
