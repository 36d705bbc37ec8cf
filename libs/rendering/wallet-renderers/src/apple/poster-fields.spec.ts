import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { PKPass } from 'passkit-generator';
import type { RenderType } from '../model.js';
import { aField, anAppleContext, anyTemplateAndPass, aPass, aTemplate } from '../render.fixtures.js';
import { appleFields } from './pass-fields.js';
import { applePassJson } from './pass-json.js';
import { applePosterFields } from './poster-fields.js';

const posterTypes = ['offer', 'generic', 'membership'] as const satisfies readonly RenderType[];
const context = anAppleContext({ hasArtwork: true });
const groups = ['headerFields', 'primaryFields', 'footerFields'] as const;
const keys = (fields: readonly { key: string }[]) => fields.map(({ key }) => key);

describe.each(posterTypes)('the poster of type %s', (type) => {
  const actions = [{ type: 'membershipBenefits', url: 'https://harbour.example/club' }] as const;
  const pass = aPass(type, { fields: [aField('gate', 'Gate', 'B'), aField('level', 'Level', '2')] });
  const json = applePassJson(aTemplate(type, { actions }), pass, context);

  it('the pass.json with a poster matches the golden file', () => {
    const path = join(__dirname, '../../test/golden', `poster-${type}.json`);
    const text = `${JSON.stringify(json, null, 2)}\n`;
    if (process.env['UPDATE_GOLDEN']) writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, 'utf8'));
  });

  it('a pass.json with a poster also contains the classic style, exactly as without artwork', () => {
    const { posterGeneric, ...rest } = json;
    expect(posterGeneric).toBeDefined();
    expect(rest).toEqual(applePassJson(aTemplate(type, { actions }), pass, anAppleContext()));
  });

  it("passkit-generator's schemas drop no field of a poster", () => {
    const { types } = new PKPass({ 'pass.json': Buffer.from(JSON.stringify(json)) }, undefined, undefined);
    const poster = types.find(({ type: style }) => style === 'posterGeneric');
    for (const group of groups) expect(keys(poster?.[group] ?? [])).toEqual(keys(json.posterGeneric?.[group] ?? []));
    expect(types).toHaveLength(2);
  });
});

it.each([
  ['offer', [], ['_title'], []],
  ['offer', ['a', 'b', 'c', 'd'], ['_title', 'a', 'b', 'c'], ['d']],
  ['membership', ['a'], ['_title', '_primary', 'a'], []],
  ['generic', ['a', 'b', 'c', 'd'], ['_title', '_primary', 'a', 'b'], ['c', 'd']],
] as const)(
  'the poster of type %s shows the fields %j as primary fields %j and other fields %j',
  (type, fields, primary, others) => {
    const template = aTemplate(type, { fields: fields.map((key) => aField(key)) });
    const poster = applePosterFields(template, aPass(type, { fields: [] }));
    expect(keys(poster.primaryFields)).toEqual(primary);
    expect(keys([...poster.headerFields, ...poster.footerFields])).toEqual(others);
  },
);

it('an event has no poster, because a poster of an event would need NFC', () => {
  expect(applePassJson(aTemplate('event'), aPass('event'), context)).toEqual(
    applePassJson(aTemplate('event'), aPass('event'), anAppleContext()),
  );
});

it('a poster shows each field of the classic style exactly once, and announces the same changes', () => {
  fc.assert(
    fc.property(anyTemplateAndPass, ({ template, pass }) => {
      fc.pre(template.type !== 'event');
      const poster = applePosterFields(template, pass);
      const { primaryFields, secondaryFields, auxiliaryFields, backFields } = appleFields(template, pass);
      const classic = [...primaryFields, ...secondaryFields, ...auxiliaryFields];
      const front = groups.flatMap((group) => poster[group]);
      expect(new Set(keys(front)).size).toBe(front.length);
      expect(front).toEqual(expect.arrayContaining(classic));
      expect(front.filter(({ changeMessage }) => changeMessage !== undefined)).toHaveLength(
        classic.filter(({ changeMessage }) => changeMessage !== undefined).length,
      );
      expect(poster.primaryFields[0]).toMatchObject({ key: '_title', value: template.title });
      expect(poster.primaryFields[0]).not.toHaveProperty('label');
      expect(groups.map((group) => poster[group].length <= (group === 'primaryFields' ? 4 : 1))).toEqual([
        true,
        true,
        true,
      ]);
      expect(poster.backFields).toEqual(backFields);
    }),
  );
});
