import type { WorkCase } from '@passwright/testing';
import { type CompiledFiles, compileFiles, CompiledPackage } from './apple/package.js';
import { localisedPass } from './apple/pass-strings.js';
import { frontChanges } from './change-notices.js';
import { examine } from './lint/lint.js';
import { mergedFields } from './merged-fields.js';
import type { RenderField, Translations } from './model.js';
import { aField, aPass, aTemplate } from './render.fixtures.js';
import { canonicalTag } from './translations/language-tag.js';
import { linkedText } from './web/linked-text.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const texts = (size: number) => Array.from({ length: size }, (_, n) => aField(`k${n}`, `Label ${n}`, `Value ${n}`));
const sets = (size: number) =>
  Array.from({ length: size }, (_, n) => compileFiles([{ name: `${n}.lproj/logo.png`, data: Buffer.alloc(9) }]));
const translations = (size: number) =>
  Object.fromEntries(Array.from({ length: size }, (_, n) => [`aa-${n}`, { title: `Title ${n}` }]));
const context = {
  ...{ passTypeIdentifier: 'pass.example', teamIdentifier: 'TEAM' },
  ...{ webServiceUrl: 'https://passes.example', authenticationToken: 'token' },
};
const now = new Date('2026-11-26T12:00:00Z');

/** The parsers and builders of this package, each with its most expensive input. */
export const cases: readonly WorkCase[] = [
  ['a text of closing brackets', repeated(')'), linkedText],
  // Use half the size, because `linkedText` skips longer words.
  ['a word of closing brackets', (size: number) => ')'.repeat(size / 2), linkedText],
  ['a word of opening brackets', (size: number) => '('.repeat(size / 2), linkedText],
  ['an address that ends in brackets', (size: number) => `https://a.example/${'()'.repeat(size / 4)}`, linkedText],
  ['words of closing brackets', repeated(')) '), linkedText],
  ['a text of addresses', repeated('see https://a.example/, '), linkedText],
  ['a text of e-mail addresses', repeated('a@b.example '), linkedText],
  ['an e-mail address of at signs', (size: number) => '@.'.repeat(size / 4), linkedText],
  ['a text of telephone numbers', repeated('+49 30 123456, '), linkedText],
  ['a telephone number without an end', repeated('+1 '), linkedText],
  ['a text of spaces', repeated(' '), linkedText],
  ['the tag of a language', repeated('-aa'), (tail: string) => canonicalTag(`de${tail}`)],
  [
    'the fields of a pass',
    texts,
    (fields: RenderField[]) => mergedFields(aTemplate('offer', { backFields: fields }), aPass('offer')),
  ],
  [
    'the string tables of many fields',
    texts,
    (backFields: RenderField[]) =>
      localisedPass(aTemplate('offer', { backFields, translations: { de: {} } }), aPass('offer'), context),
  ],
  [
    'the string tables of one text',
    (size: number) => texts(size).map((field) => ({ ...field, label: 'Label', value: 'Value' })),
    (backFields: RenderField[]) =>
      localisedPass(aTemplate('offer', { backFields, translations: { de: {} } }), aPass('offer'), context),
  ],
  [
    'the string tables of many languages',
    translations,
    (tables: Translations) => localisedPass(aTemplate('offer', { translations: tables }), aPass('offer'), context),
  ],
  ['a package of many sets of files', sets, (files: CompiledFiles[]) => new CompiledPackage([]).with(...files)],
  [
    'the changes of a pass in many languages',
    translations,
    (tables: Translations) => {
      const template = aTemplate('offer', { translations: tables });
      const [before, after] = ['1', '2'].map((value) => aPass('offer', { fields: [aField('seat', 'Seat', value)] }));
      return frontChanges({ template, pass: before! }, { template, pass: after! }, now);
    },
  ],
  [
    'the lint of links in many languages',
    (size: number) => texts(size).map((field) => ({ ...field, value: `https://a.example/${field.key}` })),
    (backFields: RenderField[]) => inspected(backFields, translations(40)),
  ],
  [
    'the lint of a long link in many languages',
    (size: number) => [aField('help', 'Help', `https://a.example/${'é'.repeat(size)}`)],
    (backFields: RenderField[]) => inspected(backFields, translations(40)),
  ],
  [
    'the lint of many texts in many languages',
    texts,
    (backFields: RenderField[]) => {
      const table = Object.fromEntries(backFields.map(({ key }) => [`backFields.${key}.value`, 'https://b.example/']));
      return inspected(backFields, Object.fromEntries(Object.keys(translations(40)).map((tag) => [tag, table])));
    },
  ],
];

function inspected(backFields: RenderField[], tables: Translations) {
  const template = aTemplate('offer', { backFields, translations: tables });
  return examine(template, { ...aPass('offer'), backFields, translations: tables }, null);
}
