import { type Body, isObject, itemsOf, textOf } from '../template.js';

const MOST_FRONT = 4;
const MOST_BACK = 50;

/** The fields of a pass, converted to fields of a template. */
export interface ImportedFields {
  readonly primary: Body | null;
  readonly front: readonly Body[];
  readonly back: readonly Body[];
  /** Sentences about parts that the template cannot contain. */
  readonly notes: readonly string[];
}

/**
 * Reads the fields of a style in `pass.json`. The first primary field becomes the title or the primary value. Front
 * fields beyond the fourth move to the back.
 */
export function importedFields(style: Body): ImportedFields {
  const listed = (name: string) => itemsOf(style, name).filter((field) => !textOf(field, 'key').startsWith('_'));
  const [ownPrimary = null] = itemsOf(style, 'primaryFields');
  const others = listed('primaryFields').filter((field) => field !== ownPrimary);
  const front = [...listed('headerFields'), ...others, ...listed('secondaryFields'), ...listed('auxiliaryFields')];
  const [shown, moved] = [front.slice(0, MOST_FRONT), front.slice(MOST_FRONT)];
  const back = [...moved.map(withoutMessage), ...listed('backFields').map(withoutMessage)];
  const keys = new Set<string>();
  return {
    primary: ownPrimary,
    front: shown.map((field) => templateField(field, keys)),
    back: back.slice(0, MOST_BACK).map((field) => templateField(field, keys)),
    notes: [
      ...(moved.length > 0 ? [`${namesOf(moved)}: a template has four front fields, so these are on the back.`] : []),
      ...(back.length > MOST_BACK ? [`${namesOf(back.slice(MOST_BACK))}: a template has 50 back fields.`] : []),
      ...notesOn([...shown, ...back]),
    ],
  };
}

/** Returns the text that a field shows: a number with its currency, or a date as written. */
export function valueOf({ value, currencyCode }: Body): string {
  if (typeof value === 'number' && typeof currencyCode === 'string') {
    try {
      return new Intl.NumberFormat(undefined, { style: 'currency', currency: currencyCode }).format(value);
    } catch {
      return String(value);
    }
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function templateField(field: Body, keys: Set<string>): Body {
  const wanted = textOf(field, 'key') || 'field';
  let key = wanted;
  for (let number = 2; keys.has(key); number += 1) key = `${wanted}${number}`;
  keys.add(key);
  const changeMessage = textOf(field, 'changeMessage');
  return { key, label: textOf(field, 'label'), value: valueOf(field), ...(changeMessage !== '' && { changeMessage }) };
}

function withoutMessage({ changeMessage: _, ...field }: Body): Body {
  return field;
}

/** The properties of a `pass.json` field that a template field cannot have, with notes about the loss. */
const lost: readonly (readonly [string, string])[] = [
  ['attributedValue', 'links in the text are written as they are'],
  ['dateStyle', 'the date is a text, and is not formatted for the holder'],
  ['timeStyle', 'the date is a text, and is not formatted for the holder'],
  ['numberStyle', 'the number is a text, and is not formatted for the holder'],
  ['semantics', 'the meaning of the field for the system is left out'],
];

function notesOn(fields: readonly Body[]): string[] {
  const notes = new Map<string, Body[]>();
  for (const [name, words] of lost) {
    const having = fields.filter((field) => field[name] !== undefined && !notes.get(words)?.includes(field));
    if (having.length > 0) notes.set(words, [...(notes.get(words) ?? []), ...having]);
  }
  return [...notes].map(([words, having]) => `${namesOf(having)}: ${words}.`);
}

function namesOf(fields: readonly Body[]): string {
  return fields.map((field) => textOf(field, 'label') || textOf(field, 'key') || 'a field').join(', ');
}

/** Returns the value if it is an object, otherwise an empty object. */
export function objectOf(value: unknown): Body {
  return isObject(value) ? value : {};
}
