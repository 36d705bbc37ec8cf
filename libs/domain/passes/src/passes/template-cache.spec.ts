import { aTemplate } from '../content/pass.fixtures.js';
import { TemplateCache } from './template-cache.js';

const known = new TemplateCache();
const template = (id: string, changes = {}) => aTemplate('offer', { accountId: 'acc', id, ...changes });
const get = (templateId: string, accountId = 'acc') => known.get({ accountId, templateId });

it('TemplateCache finds a template by its account and id', () => {
  const stored = template('a');
  known.add(stored);
  expect([get('a'), get('b'), get('a', 'other')]).toEqual([stored, undefined, undefined]);
});

it('TemplateCache replaces a template with a newer version, or with a different one of the same revision', () => {
  const [first, changed] = [template('c'), template('c', { revision: 2 })];
  const made = template('c', { updatedAt: new Date('2030-01-01') });
  for (const stored of [first, changed, made]) {
    known.add(stored);
    expect(get('c')).toBe(stored);
  }
});

it('TemplateCache drops the least recently used templates when the total size exceeds 8 Mi characters', () => {
  const title = 'x'.repeat(2 ** 20);
  for (let n = 0; n < 8; n++) {
    known.add(template(`large ${n}`, { title }));
    expect(get('large 0')).toBeDefined();
  }
  expect([get('large 1'), get('large 7')]).toEqual([undefined, expect.anything()]);
});
