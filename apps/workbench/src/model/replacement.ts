import { type Body, itemsOf, textOf } from './template.js';

/** The texts of a field that holders see. */
const texts = ['label', 'value', 'changeMessage'] as const;

/**
 * Returns the merge patch that replaces a text everywhere on a pass; null if the pass does not contain the text. The
 * search is case-sensitive. Lists of fields are sent whole.
 */
export function replacement(pass: Body, find: string, by: string): Body | null {
  if (find === '') return null;
  const replaced = (text: string) =>
    by.includes(find)
      ? text
          .split(by)
          .map((part) => part.replaceAll(find, () => by))
          .join(by)
      : text.replaceAll(find, () => by);
  const primary = textOf(pass, 'primaryValue');
  const lists = (['fields', 'backFields'] as const).flatMap((name) => {
    const before = itemsOf(pass, name);
    const after = before.map((field) => ({
      ...field,
      ...Object.fromEntries(
        texts.flatMap((text) => (typeof field[text] === 'string' ? [[text, replaced(field[text])] as const] : [])),
      ),
    }));
    return JSON.stringify(after) === JSON.stringify(before) ? [] : [[name, after] as const];
  });
  const patch = {
    ...(replaced(primary) !== primary && { primaryValue: replaced(primary) }),
    ...Object.fromEntries(lists),
  };
  return Object.keys(patch).length > 0 ? patch : null;
}
