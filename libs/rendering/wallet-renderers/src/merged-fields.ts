import type { Problem } from './finding.js';
import { quoted } from './problem-text.js';
import type { FieldSets, RenderField } from './model.js';

/** The maximum number of front fields of a pass, after they are merged with the front fields of its template. */
export const maxFrontFields = 4;

/** Matches a caller's field key: not empty, and without a leading `_`, which marks the renderers' own fields. */
export const fieldKeyPattern = /^[^_]/u;

/** Returns true for a key that a caller may give to a field; see `fieldKeyPattern`. */
export function isFieldKey(key: string): boolean {
  return fieldKeyPattern.test(key);
}

/**
 * Merges a list of a pass's fields into its template's fields by key. A pass field with the key of a template field
 * replaces that field at its position. A field with a new key is appended. Keys are unique in the result.
 */
export function mergeFields(
  templateFields: readonly RenderField[],
  passFields: readonly RenderField[],
): readonly RenderField[] {
  return [...new Map([...templateFields, ...passFields].map((field) => [field.key, field])).values()];
}

/**
 * Returns the fields that a pass shows: at most 4 on the front, with unique keys over front and back. Drops surplus
 * front fields, and back fields whose key is on the front. This is needed if the template changed after the pass was
 * checked.
 */
export function mergedFields(template: FieldSets, pass: FieldSets): FieldSets {
  const fields = mergeFields(template.fields, pass.fields).slice(0, maxFrontFields);
  const frontKeys = new Set(fields.map(({ key }) => key));
  const backFields = mergeFields(template.backFields, pass.backFields).filter(({ key }) => !frontKeys.has(key));
  return { fields, backFields };
}

const noFields: FieldSets = { fields: [], backFields: [] };

/** An error in a field's key or in the number of fields. `rule` is the lint rule for this error. */
export interface FieldProblem extends Problem {
  readonly rule: 'duplicate-key' | 'reserved-key' | 'too-many-front-fields';
}

/**
 * Finds errors in the fields of a pass of `template`, or without a pass, in the fields of the template itself: the form
 * of keys, repeated keys, and more than 4 front fields.
 */
export function fieldProblems(template: FieldSets, pass?: FieldSets): FieldProblem[] {
  const own = pass ?? template;
  const inherited = pass ? template : noFields;
  return [
    ...keyProblems('fields', own.fields),
    ...keyProblems('backFields', own.backFields),
    ...sideFaults(own, inherited),
    // Report too many front fields only for a pass with front fields of its own, because otherwise the template is at
    // fault.
    ...(own.fields.length > 0
      ? countProblems(mergeFields(inherited.fields, own.fields).length, pass !== undefined)
      : []),
  ];
}

function countProblems(count: number, isMerged: boolean): FieldProblem[] {
  if (count <= maxFrontFields) return [];
  const message = `${count} front fields${isMerged ? " after merging with the template's" : ''}`;
  return [{ rule: 'too-many-front-fields', path: 'fields', message, fix: `at most ${maxFrontFields}` }];
}

function keyProblems(property: keyof FieldSets, fields: readonly RenderField[]): FieldProblem[] {
  const seen = new Map<string, number>();
  return fields.flatMap(({ key }, index): FieldProblem[] => {
    const path = `${property}[${index}].key`;
    const first = seen.get(key);
    if (first !== undefined) {
      const message = `${quoted(key)} is already the key of ${property}[${first}]`;
      return [{ rule: 'duplicate-key', path, message, fix: 'keys are unique' }];
    }
    seen.set(key, index);
    if (isFieldKey(key)) return [];
    const message = `${quoted(key)} is ${key === '' ? 'empty' : 'reserved'}`;
    return [{ rule: 'reserved-key', path, message, fix: 'use a key that does not begin with "_"' }];
  });
}

/** Finds keys on both the front and the back, even if one is in the template and the other in its pass. */
function sideFaults(own: FieldSets, inherited: FieldSets): FieldProblem[] {
  return [
    ...clashes('fields', own.fields, "the template's backFields", inherited.backFields),
    ...clashes('backFields', own.backFields, "the template's fields", inherited.fields),
    ...clashes('backFields', own.backFields, 'fields', own.fields),
  ];
}

function clashes(
  property: keyof FieldSets,
  fields: readonly RenderField[],
  otherSide: string,
  others: readonly RenderField[],
): FieldProblem[] {
  // Return early, because most passes have fields only on the front or only on the back.
  if (fields.length === 0 || others.length === 0) return [];
  const keys = new Set(others.map(({ key }) => key));
  return fields.flatMap(({ key }, index): FieldProblem[] => {
    if (!keys.has(key)) return [];
    const message = `${quoted(key)} is also a key of ${otherSide}`;
    const fix = 'keys are unique over front and back';
    return [{ rule: 'duplicate-key', path: `${property}[${index}].key`, message, fix }];
  });
}
