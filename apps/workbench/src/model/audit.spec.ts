import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { actionInWords, actorInWords, targetAddress, targetOptions } from './audit.js';

it('actionInWords writes every documented action as words', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/audit-trail.md'), 'utf8');
  const actions = [...page.matchAll(/`([a-z]\w+\.\w+)`/gi)].map(([, action = '']) => action);
  expect(actions.length).toBeGreaterThan(20);
  for (const action of actions) expect(actionInWords(action)).toMatch(/^[A-Z][a-z]*( [a-z]+)+$/);
  expect(actionInWords('appleCertificate.uploaded')).toBe('Apple certificate uploaded');
  expect(actionInWords('message.settings_changed')).toBe('Message settings changed');
});

it('actorInWords names users, keys and the service, even after their deletion', () => {
  expect(actorInWords({ kind: 'user', id: 'usr_1', name: 'Ada' })).toBe('Ada');
  expect(actorInWords({ kind: 'user', id: 'usr_1', name: null })).toBe('A deleted user');
  expect(actorInWords({ kind: 'apiKey', id: 'key_1', name: 'Web shop' })).toBe('Key: Web shop');
  expect(actorInWords({ kind: 'apiKey', id: 'key_1', name: null })).toBe('A deleted key');
  expect(actorInWords({ kind: 'system', id: null, name: null })).toBe('The service');
});

it('targetAddress returns the address of the screen of a target, if there is one', () => {
  expect(targetAddress({ kind: 'pass', id: 'gold club:ada' })).toBe('#/passes/gold%20club/ada');
  expect(targetAddress({ kind: 'template', id: 'club' })).toBe('#/templates/club');
  expect(targetAddress({ kind: 'session', id: 'x' })).toBeNull();
  expect(targetAddress({ kind: 'template', id: null })).toBeNull();
});

it('targetOptions includes the chosen target, even a single resource', () => {
  expect(targetOptions('template:club').slice(0, 2)).toEqual([
    ['', 'Everything'],
    ['template:club', 'template:club'],
  ]);
  expect(targetOptions('template').filter(([kind]) => kind === 'template')).toHaveLength(1);
});
