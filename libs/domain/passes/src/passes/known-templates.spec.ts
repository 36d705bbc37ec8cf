import { aTemplate } from '../content/pass.fixtures.js';
import { KnownTemplates } from './known-templates.js';

const known = new KnownTemplates();
const template = (id: string, changes = {}) => aTemplate('offer', { accountId: 'acc', id, ...changes });
const get = (templateId: string, accountId = 'acc') => known.get({ accountId, templateId });

it('a template is known by its account and id, until it is deleted', () => {
  const stored = template('a');
  known.add(stored);
  expect([get('a'), get('b'), get('a', 'other')]).toEqual([stored, undefined, undefined]);
  known.delete(stored);
  expect(get('a')).toBeUndefined();
});

it('a newer version replaces a template, and so does another template that has its id and revision', () => {
  const [first, changed] = [template('a'), template('a', { revision: 2 })];
  const made = template('a', { updatedAt: new Date('2030-01-01') });
  for (const stored of [first, changed, made]) {
    known.add(stored);
    expect(get('a')).toBe(stored);
  }
});

it('templates that have not been used for long are forgotten when they take up 32 MiB', () => {
  const title = 'x'.repeat(2 ** 20);
  for (let n = 0; n < 32; n++) {
    known.add(template(`large ${n}`, { title }));
    expect(get('large 0')).toBeDefined();
  }
  expect([get('large 1'), get('large 31')]).toEqual([undefined, expect.anything()]);
});
