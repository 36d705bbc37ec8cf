import { emptyMessage, outcomeInWords, outcomeTone, passMessageOf, stepsOf, templateMessageOf } from './message.js';

it('passMessageOf omits empty properties and the filter', () => {
  expect(passMessageOf({ ...emptyMessage, text: 'Hello', states: [] })).toEqual({ text: 'Hello' });
});

it('templateMessageOf omits a filter that only repeats the defaults', () => {
  const states = ['not_yet_valid', 'valid'] as const;
  expect(templateMessageOf({ ...emptyMessage, text: 'Hello', states })).toEqual({ text: 'Hello' });
});

it('templateMessageOf sends each condition that differs from the default', () => {
  const input = { ...emptyMessage, text: 'Hello', urgent: true, states: ['valid'] as const };
  const more = {
    wallets: ['walletA'] as const,
    fieldKey: 'tier',
    fieldValue: '',
    expiresBefore: '2027-01-01T00:00:00.000Z',
  };
  expect(templateMessageOf({ ...input, ...more })).toEqual({
    text: 'Hello',
    urgent: true,
    filter: {
      states: ['valid'],
      wallets: ['walletA'],
      expiresBefore: '2027-01-01T00:00:00.000Z',
      fields: [{ key: 'tier', value: '' }],
    },
  });
});

it('passMessageOf sends the languages that have a text, with their title if they have one', () => {
  const translations = {
    de: { title: 'Neu', text: 'Hallo' },
    fr: { title: '', text: 'Salut' },
    es: { title: 'x', text: '' },
  };
  expect(passMessageOf({ ...emptyMessage, text: 'Hello', translations })).toEqual({
    text: 'Hello',
    translations: { de: { title: 'Neu', text: 'Hallo' }, fr: { text: 'Salut' } },
  });
});

it('outcomeInWords describes the outcome of a message, and returns an unknown outcome unchanged', () => {
  expect(['notified', 'not_at_google', 'later'].map(outcomeInWords)).toEqual([
    ...['announced on the phone', 'not at Google', 'later'],
  ]);
  expect(['notified', 'waiting', 'rejected'].map(outcomeTone)).toEqual(['good', 'waiting', 'ended']);
});

it('stepsOf returns no steps for a message that has ended', () => {
  expect((['scheduled', 'paused', 'sent', 'superseded'] as const).map(stepsOf)).toEqual([
    ['pause', 'cancel'],
    ['resume', 'cancel'],
    [],
    [],
  ]);
});
