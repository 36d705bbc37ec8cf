import { emptyMessage, passMessageOf, stepsOf, templateMessageOf } from './message.js';

it('passMessageOf leaves out what is empty, and the filter', () => {
  expect(passMessageOf({ ...emptyMessage, text: 'Hello', states: [] })).toEqual({ text: 'Hello' });
});

it('templateMessageOf leaves out a filter that only repeats the defaults', () => {
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

it('stepsOf offers nothing for a message that has ended', () => {
  expect((['scheduled', 'paused', 'sent', 'superseded'] as const).map(stepsOf)).toEqual([
    ['pause', 'cancel'],
    ['resume', 'cancel'],
    [],
    [],
  ]);
});
