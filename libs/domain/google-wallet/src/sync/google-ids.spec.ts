import { classIdOf, objectIdOf, parseGoogleId } from './google-ids.js';

const classOf = (type: Parameters<typeof classIdOf>[2], accountId = 'acc_3kTq9ZbXcVn1MlPoIu7Yt2') =>
  classIdOf(accountId, 'gold-club', type);

it.each([
  ['offer', 'offer_603733fdef3815bbc8efe8d8f089c8ea'],
  ['event', 'event_42e7f5d165583ffea17e21e7b08a38fc'],
  ['generic', 'generic_7685a3553141f0af955e3591f96dafad'],
  ['membership', 'membership_5168e52711f5f4f6a25131e31d8bcd39'],
] as const)(
  'the class of a template of type %s has the same id in every release, because Google cannot delete classes',
  (type, id) => {
    expect(classOf(type)).toBe(id);
    expect(classOf(type, 'acc_another')).not.toBe(id);
  },
);

it('the object of a pass has the serial number of the pass as its id in every release', () => {
  expect(objectIdOf({ serialNumber: '4fQz8LwXk2bN0aVtYc7mRd' })).toBe('4fQz8LwXk2bN0aVtYc7mRd');
});

it('parseGoogleId splits an id at its first dot', () => {
  expect(parseGoogleId('3388000000012345678.a.b')).toEqual({ issuerId: '3388000000012345678', id: 'a.b' });
});
