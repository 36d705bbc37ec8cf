import { newMessage } from './new-message.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const address = { accountId: 'a', templateId: 't', passId: 'p' };

it.each([
  ['title', 60],
  ['text', 500],
] as const)(
  'a translation of the %s of a message may have %d characters, even if each is a surrogate pair',
  (name, most) => {
    const planned = (length: number) =>
      newMessage(address, { text: 'Hi', translations: { de: { text: 'Hallo', [name]: '🎟'.repeat(length) } } }, now);
    expect(planned(most).translations?.de?.[name]).toHaveLength(2 * most);
    expect(() => planned(most + 1)).toThrow(`translations["de"].${name} must be at most ${most} characters`);
  },
);
