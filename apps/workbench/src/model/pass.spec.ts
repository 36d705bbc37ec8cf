import { emptyInput, inputOf, patchOf, requestOf, stateOf } from './pass.js';

const points = { key: 'points', label: 'Points', value: '0', changeMessage: 'You have %@' };
const template = { fields: [points], backFields: [{ key: 'terms', label: 'Terms', value: 'None' }] };

it('requestOf sends only what was typed, with the labels of the template’s fields', () => {
  expect(requestOf(template, emptyInput)).toEqual({});
  expect(requestOf(template, { ...emptyInput, primaryValue: 'Ada', values: { points: '5', terms: '' } })).toEqual({
    primaryValue: 'Ada',
    fields: [{ ...points, value: '5' }],
  });
});

it('requestOf sends metadata as JSON if it is valid, and otherwise as text', () => {
  expect(requestOf(template, { ...emptyInput, metadata: '{"a":1}' })).toEqual({ metadata: { a: 1 } });
  expect(requestOf(template, { ...emptyInput, metadata: '{' })).toEqual({ metadata: '{' });
});

it('patchOf returns an empty patch for an unchanged input', () => {
  const pass = { id: 'a', code: 'c', fields: [{ ...points, value: '5' }], backFields: [], metadata: { a: 1 } };
  expect(patchOf(pass, template, inputOf(pass), inputOf(pass))).toEqual({});
});

it('patchOf clears a text that was emptied, and sends a changed field with its whole list', () => {
  const other = { key: 'gate', label: 'Gate', value: 'B' };
  const pass = { id: 'a', code: 'c', expiry: '2027-01-01T00:00:00.000Z', fields: [points, other], backFields: [] };
  const before = inputOf(pass);
  expect(patchOf(pass, template, before, { ...before, expiry: '', values: { ...before.values, points: '9' } })).toEqual(
    {
      expiry: null,
      fields: [{ ...points, value: '9' }, other],
    },
  );
});

it('patchOf adds a template field that gets a value, and removes a field that was emptied', () => {
  const pass = { id: 'a', code: 'c', fields: [{ ...points, value: '5' }], backFields: [] };
  const before = inputOf(pass);
  expect(patchOf(pass, template, before, { ...before, values: { points: '', terms: 'Mine' } })).toEqual({
    fields: [],
    backFields: [{ key: 'terms', label: 'Terms', value: 'Mine' }],
  });
});

it('requestOf sends the language, the group and the links; patchOf sends only those that have changed', () => {
  const input = {
    ...emptyInput,
    language: 'de',
    groupId: 'order-1',
    groupOrder: '2',
    linkedPasses: 'parking/ada\n\n x ',
  };
  expect(requestOf(template, input)).toEqual({
    language: 'de',
    group: { id: 'order-1', order: 2 },
    linkedPasses: [
      { templateId: 'parking', passId: 'ada' },
      { templateId: 'x', passId: '' },
    ],
  });
  expect(requestOf(template, { ...emptyInput, groupId: 'a', groupOrder: 'two' })).toEqual({
    group: { id: 'a', order: 'two' },
  });
  const pass = {
    ...{ id: 'a', code: 'c', language: 'de', group: { id: 'order-1', order: 2 } },
    linkedPasses: [{ templateId: 'parking', passId: 'ada' }],
  };
  const before = inputOf(pass);
  expect(before).toMatchObject({ groupOrder: '2', linkedPasses: 'parking/ada' });
  expect(patchOf(pass, template, before, before)).toEqual({});
  expect(patchOf(pass, template, before, { ...before, groupOrder: '' })).toEqual({
    group: { id: 'order-1', order: null },
  });
  expect(patchOf(pass, template, before, { ...before, language: '', groupId: '', linkedPasses: '' })).toEqual({
    ...{ language: null, group: null, linkedPasses: null },
  });
});

it('stateOf names the reason why a pass cannot be used', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  const words = [
    { voided: true, redeemedAt: '2026-01-01T00:00:00Z' },
    { voided: false, redeemedAt: '2026-01-01T00:00:00Z' },
    { voided: false, expiry: '2026-11-26T12:00:00Z' },
    { voided: false, validFrom: '2026-11-26T12:00:01Z' },
    { voided: false, expiry: '2026-11-26T12:00:01Z' },
  ].map((pass) => stateOf(pass, now).word);
  expect(words).toEqual(['void', 'redeemed', 'expired', 'not valid yet', 'valid']);
});
