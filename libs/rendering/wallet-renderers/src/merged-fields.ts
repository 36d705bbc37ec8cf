import type { Fault } from './doctor/finding.js';
import { quoted } from './doctor/wording.js';
import type { FieldSets, RenderField } from './model.js';

/** How many fields the front of a pass shows, after its own are merged with its template's. */
export const maxFrontFields = 4;

/**
 * The form of a caller's field key: not empty, and without the leading `_` that marks the fields a renderer adds
 * itself (`_date`, `_validFrom`), so that the two can never meet.
 */
export const fieldKeyPattern = /^[^_]/u;

/** True for a key that a caller may give to a field; see `fieldKeyPattern`. */
export function isFieldKey(key: string): boolean {
  return fieldKeyPattern.test(key);
}

/**
 * Merges one list of a pass's fields into its template's, by key: each pass field replaces the template's field of
 * that key in its place, a new key is appended, the template's order is kept. Keys are unique in the result.
 */
export function mergeFields(
  templateFields: readonly RenderField[],
  passFields: readonly RenderField[],
): readonly RenderField[] {
  return [...new Map([...templateFields, ...passFields].map((field) => [field.key, field])).values()];
}

/**
 * The fields a pass shows. Always at most 4 on the front and keys unique over front and back, also when the template
 * changed after the pass was checked against it: a surplus front field is left out, and so is a back field whose key
 * is on the front.
 */
export function mergedFields(template: FieldSets, pass: FieldSets): FieldSets {
  const fields = mergeFields(template.fields, pass.fields).slice(0, maxFrontFields);
  const frontKeys = new Set(fields.map(({ key }) => key));
  const backFields = mergeFields(template.backFields, pass.backFields).filter(({ key }) => !frontKeys.has(key));
  return { fields, backFields };
}

const noFields: FieldSets = { fields: [], backFields: [] };

/** What is wrong with a field's key, or with how many fields there are; `rule` is the doctor's rule for it. */
export interface FieldFault extends Fault {
  readonly rule: 'duplicate-key' | 'reserved-key' | 'too-many-front-fields';
}

/**
 * What is wrong with the fields of a pass of `template`, or of the template itself when no pass is given: the form and
 * the uniqueness of keys over front and back together, and the limit of 4 front fields for the merged result.
 */
export function fieldFaults(template: FieldSets, pass?: FieldSets): FieldFault[] {
  const own = pass ?? template;
  const inherited = pass ? template : noFields;
  return [
    ...keyFaults('fields', own.fields),
    ...keyFaults('backFields', own.backFields),
    ...sideFaults(own, inherited),
    // A pass without fields of its own is not to blame for its template's.
    ...(own.fields.length > 0 ? countFaults(mergeFields(inherited.fields, own.fields).length, pass !== undefined) : []),
  ];
}

function countFaults(count: number, isMerged: boolean): FieldFault[] {
  if (count <= maxFrontFields) return [];
  const message = `${count} front fields${isMerged ? " after merging with the template's" : ''}`;
  return [{ rule: 'too-many-front-fields', path: 'fields', message, fix: `at most ${maxFrontFields}` }];
}

function keyFaults(property: keyof FieldSets, fields: readonly RenderField[]): FieldFault[] {
  const seen = new Map<string, number>();
  return fields.flatMap(({ key }, index): FieldFault[] => {
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

/** A key belongs to one side, the front or the back, and to the same one in a template and in its passes. */
function sideFaults(own: FieldSets, inherited: FieldSets): FieldFault[] {
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
): FieldFault[] {
  const keys = new Set(others.map(({ key }) => key));
  return fields.flatMap(({ key }, index): FieldFault[] => {
    if (!keys.has(key)) return [];
    const message = `${quoted(key)} is also a key of ${otherSide}`;
    const fix = 'keys are unique over front and back';
    return [{ rule: 'duplicate-key', path: `${property}[${index}].key`, message, fix }];
  });
}
