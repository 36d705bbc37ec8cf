import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { aField, anyTemplateAndPass, renderTypes } from '../render.fixtures.js';
import { lintPage } from './lint-page.fixtures.js';
import { lintRules } from './lint-rules.js';
import { examples } from './examples.fixtures.js';
import { examine, examineInTurns, passProblems, templateProblems } from './lint.js';
import { aLintSubject, type LintSubject } from './lint-subject.fixtures.js';
import { textWidth } from './text-width.js';

const found = ({ template, pass, images, context }: LintSubject) => examine(template, pass, images, context);
const places = (subject: LintSubject, rule: string) =>
  found(subject)
    .filter((finding) => finding.rule === rule)
    .map((finding) => `${finding.in} ${finding.path}`);

describe('the rules', () => {
  it('every rule has a unique id, failing examples and passing examples', () => {
    const ids = lintRules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(examples).sort()).toEqual([...ids].sort());
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('every rule has a failing example for each kind of document that it checks', () => {
    for (const rule of lintRules) {
      const looked = (['template', 'pass', 'service'] as const).filter((document) => rule[document]);
      const seen = examples[rule.id]!.failing.map(([, place]) => place.split(' ')[0]);
      expect([rule.id, looked.filter((document) => !seen.includes(document))]).toEqual([rule.id, []]);
    }
  });

  it.each(renderTypes)('the rules find no error in a good template and pass of type %s', (type) => {
    expect(found(aLintSubject({ type }))).toEqual([]);
  });

  it('docs/template-lint.md matches the rules', () => {
    const path = join(__dirname, '../../../../../docs/template-lint.md');
    if (process.env['UPDATE_GOLDEN']) writeFileSync(path, lintPage());
    expect(readFileSync(path, 'utf8')).toBe(lintPage());
  });
});

describe.each(Object.entries(examples))('%s', (rule, { failing, passing }) => {
  it.each(failing)('the rule finds an error in %j', (changes, where) => {
    expect(places(aLintSubject(changes), rule)).toEqual([where]);
  });

  it.each(passing)('the rule finds no error in %j', (changes) => {
    expect(places(aLintSubject(changes), rule)).toEqual([]);
  });
});

describe('`examine` of a template and a pass', () => {
  it('`examine` names the error, its path, the wallet and the fix, and lists errors first', () => {
    const subject = aLintSubject({ template: { title: '' }, pass: { code: 'x'.repeat(151) } });
    expect(found(subject)).toEqual([
      {
        rule: 'text-missing',
        in: 'template',
        path: '$.title',
        severity: 'error',
        wallet: 'all',
        message: 'title is empty',
        fix: 'give a text of at least one character',
      },
      expect.objectContaining({ rule: 'code-dense', severity: 'warning', message: 'the code has 151 bytes' }),
    ]);
  });

  it('`examine` leaves out the error of the validation if one of its own rules reports the same value', () => {
    const rejected = [{ in: 'template', sentence: 'title must be at least 1 character' }] as const;
    const rules = found(aLintSubject({ template: { title: '' }, context: { rejected } })).map(({ rule }) => rule);
    expect(rules).toEqual(['text-missing']);
  });

  it('`examine` accepts a template without a pass and without information about its images', () => {
    const { template, images, context } = aLintSubject({ pass: { code: '' } });
    expect(examine(template, null, images, context)).toEqual([]);
    expect(examine(template, null, null)).toEqual([]);
  });

  it('`examine` accepts any content and never returns a finding with empty texts', () => {
    fc.assert(
      fc.property(anyTemplateAndPass, ({ template, pass }) => {
        for (const { path, message, fix } of examine(template, pass, {}, { now: new Date(0) })) {
          expect(path).toMatch(/^\$(?:\.\w+(?:\[\d+\])?)*$/);
          expect(message).toMatch(/\S/);
          expect(fix).toMatch(/\S/);
        }
      }),
    );
  });
});

it('`examine` suggests the intended key for a misspelt key, and names the texts that a language lacks', () => {
  const translations = { de: { titel: 'Konzert', nonsense: 'X' }, fr: { title: 'Concert' } };
  const findings = found(aLintSubject({ template: { translations } }));
  expect(findings.map(({ path, message, fix }) => [path, message, fix])).toEqual([
    ['$.translations.de.titel', 'it matches no text', 'did you mean "title"?'],
    ['$.translations.de.nonsense', 'it matches no text', expect.stringMatching(/^use the key of a text/)],
    ['$.translations.de', 'only other languages translate "title"', 'translate them'],
    [
      '$.translations',
      'no language translates "fields.row.label", "fields.seat.label", "backFields.contact.label"',
      expect.stringMatching(/^translate it/),
    ],
  ]);
});

it('`examine` suggests only translatable texts for an unknown key in the translations of a pass', () => {
  const none = { fields: [], backFields: [] };
  const fixesOf = (key: string, fields: object = {}) =>
    found(aLintSubject({ template: fields, pass: { ...fields, translations: { de: { [key]: 'X' } } } }))
      .filter(({ rule }) => rule === 'translation-unknown-key')
      .map(({ fix }) => fix);
  expect(fixesOf('title')).toEqual(['translate it in the template']);
  expect(fixesOf('nonsense')).toEqual([
    'use the key of a text of the pass, such as "fields.seat.label", or remove the translation',
  ]);
  expect(fixesOf('nonsense', none)).toEqual(['remove the translation']);
  expect(fixesOf('fields.saet.label')).toEqual(['did you mean "fields.seat.label"?']);
});

it('`examine` reports at most 20 unknown keys, and takes little time even for many unknown keys', () => {
  const table = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`fields.k${index}.label`, 'X']));
  const { template } = aLintSubject({ template: { translations: { de: table } } });
  expect(templateProblems(template, null)).toHaveLength(20);
});

describe('problems that reject a save', () => {
  it('templateProblems and passProblems return exactly the errors that `examine` finds in their document', () => {
    for (const [rule, { failing }] of Object.entries(examples)) {
      for (const [changes] of failing) {
        const { template, pass, images, context } = aLintSubject(changes);
        const errors = examine(template, pass, images, { ...context, rejected: [] }).filter(
          ({ severity }) => severity === 'error',
        );
        const count = (document: string) => errors.filter((finding) => finding.in === document).length;
        expect([rule, templateProblems(template, images).length]).toEqual([rule, count('template')]);
        // passProblems does not report a missing thumbnail, because its upload has already failed with image_invalid.
        const known = errors.filter((finding) => finding.in === 'pass' && finding.rule !== 'image-not-found').length;
        expect([rule, passProblems(template, pass!).length]).toEqual([rule, known]);
      }
    }
  });

  it('each problem starts with the name of the invalid property', () => {
    const { template, pass } = aLintSubject({ template: { title: '' }, pass: { primaryValue: 'Ada' } });
    expect(templateProblems(template, null)).toEqual(['title is empty; give a text of at least one character']);
    expect(passProblems(template, pass!)).toEqual([
      'primaryValue is for generic and membership templates, and this one is of type offer; leave it out, or use a field',
    ]);
  });
});

it('examineInTurns returns the same findings as `examine`, and lets other work run meanwhile', async () => {
  const backFields = Array.from({ length: 2000 }, (_, n) => aField(`k${n}`, 'Label', `<b>${n}</b>`));
  const languages = Array.from({ length: 40 }, (_, n) => [`de-${100 + n}`, { title: 'Titel' }] as const);
  const subject = aLintSubject({ template: { backFields, translations: Object.fromEntries(languages) } });
  const { template, pass, images, context } = subject;
  let isDone = false;
  const turns: boolean[] = [];
  setImmediate(() => turns.push(isDone));
  const findings = await examineInTurns(template, pass, images, context);
  isDone = true;
  expect(turns).toEqual([false]);
  expect(findings).toEqual(found(subject));
});

it.each([
  ['', 0],
  ['aaa', 3],
  ['illi', 2],
  ['MW', 2.5],
  ['日本', 4],
  ['👩‍👩‍👧', 2],
  ['e\u0301', 1],
])('textWidth estimates the width of %j as %d letters', (text, width) => {
  expect(textWidth(text)).toBe(width);
});
