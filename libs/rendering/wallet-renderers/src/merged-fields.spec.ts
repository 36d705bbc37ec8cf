import fc from 'fast-check';
import { fieldProblems, isFieldKey, mergedFields, mergeFields } from './merged-fields.js';
import type { RenderField } from './model.js';
import { aField, anyFields } from './render.fixtures.js';

const keys = (fields: readonly RenderField[]) => fields.map(({ key }) => key);
const front = (...names: string[]) => ({ fields: names.map((key) => aField(key)), backFields: [] });
const back = (...names: string[]) => ({ fields: [], backFields: names.map((key) => aField(key)) });

/** Returns the errors as sentences, in their order. */
const sentences = (...sets: Parameters<typeof fieldProblems>) =>
  fieldProblems(...sets).map(({ path, message, fix }) => `${path}: ${message}; ${fix}`);

describe('mergeFields', () => {
  it('mergeFields replaces fields in place by key and appends new ones', () => {
    const template = [aField('row', 'Row', '7'), aField('seat', 'Seat', '12')];
    expect(mergeFields(template, [aField('gate', 'Gate', 'B'), aField('row', 'Reihe', '8')])).toEqual([
      aField('row', 'Reihe', '8'),
      aField('seat', 'Seat', '12'),
      aField('gate', 'Gate', 'B'),
    ]);
  });

  it('mergeFields keeps the order of the template and the fields of the pass, with unique keys', () => {
    fc.assert(
      fc.property(anyFields(8), anyFields(8), (template, pass) => {
        const merged = mergeFields(template, pass);
        const distinct = [...new Set([...keys(template), ...keys(pass)])];
        expect(keys(merged)).toEqual(distinct);
        for (const field of merged) {
          const last = [...template, ...pass].reverse().find(({ key }) => key === field.key);
          expect(field).toBe(last);
        }
        expect(mergeFields(merged, pass)).toEqual(merged);
      }),
    );
  });
});

describe('mergedFields', () => {
  it('mergedFields returns at most 4 front fields, and never the same key twice on front and back', () => {
    fc.assert(
      fc.property(anyFields(6), anyFields(6), anyFields(6), anyFields(6), (a, b, c, d) => {
        const merged = mergedFields({ fields: a, backFields: b }, { fields: c, backFields: d });
        const all = keys([...merged.fields, ...merged.backFields]);
        expect(merged.fields.length).toBeLessThanOrEqual(4);
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('mergedFields keeps all fields if fieldProblems finds no problems', () => {
    fc.assert(
      fc.property(anyFields(3), anyFields(3), anyFields(3), anyFields(3), (a, b, c, d) => {
        const [template, pass] = [
          { fields: a, backFields: b },
          { fields: c, backFields: d },
        ];
        fc.pre(sentences(template).length === 0 && sentences(template, pass).length === 0);
        expect(mergedFields(template, pass)).toEqual({ fields: mergeFields(a, c), backFields: mergeFields(b, d) });
      }),
    );
  });
});

describe('fieldProblems', () => {
  it('fieldProblems accepts a pass that overrides and adds fields within the limits', () => {
    expect(sentences(front('a', 'b', 'c'), front('b', 'd'))).toEqual([]);
    expect(sentences({ ...front('a'), backFields: [aField('x')] }, back('x', 'y'))).toEqual([]);
  });

  it.each([
    [
      'a fifth front field of a template',
      front('a', 'b', 'c', 'd', 'e'),
      undefined,
      ['fields: 5 front fields; at most 4'],
    ],
    [
      'a fifth front field after merging',
      front('a', 'b', 'c'),
      front('c', 'd', 'e'),
      ["fields: 5 front fields after merging with the template's; at most 4"],
    ],
    [
      'a key given twice',
      front(),
      back('a', 'b', 'a'),
      ['backFields[2].key: "a" is already the key of backFields[0]; keys are unique'],
    ],
    [
      'a key on front and back',
      { ...front('a'), ...{ backFields: [aField('a')] } },
      undefined,
      ['backFields[0].key: "a" is also a key of fields; keys are unique over front and back'],
    ],
    [
      "a front key that is the template's back key",
      back('a'),
      front('a'),
      [`fields[0].key: "a" is also a key of the template's backFields; keys are unique over front and back`],
    ],
    [
      "a back key that is the template's front key",
      front('a'),
      back('a'),
      [`backFields[0].key: "a" is also a key of the template's fields; keys are unique over front and back`],
    ],
    [
      'a reserved key',
      front('_date'),
      undefined,
      ['fields[0].key: "_date" is reserved; use a key that does not begin with "_"'],
    ],
    ['an empty key', front(), front(''), ['fields[0].key: "" is empty; use a key that does not begin with "_"']],
  ])('fieldProblems rejects %s, and names the property', (_, template, pass, problems) => {
    expect(sentences(template, pass)).toEqual(problems);
  });

  it('fieldProblems does not report template errors for a pass', () => {
    expect(sentences(front('_old'), front('a'))).toEqual([]);
  });
});

it.each([
  ['seat', true],
  ['😀', true],
  ['a_b', true],
  ['', false],
  ['_seat', false],
])('isFieldKey(%j) is %s', (key, expected) => {
  expect(isFieldKey(key)).toBe(expected);
});
