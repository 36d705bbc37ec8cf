import { planMessages, type StoredMessage } from './google-messages.js';
import { changesAfter, messageWrite } from './message-writes.js';

const now = new Date('2026-11-20T02:00:00.000Z');
const until = '2026-11-21T10:00:00.000Z';
const stored = (id: string, more: Partial<StoredMessage> = {}): StoredMessage => {
  return { id, header: 'h', body: 'b', until, ...more };
};
const notified = (id: string) => stored(id, { addedAt: '2026-11-19T20:00:00.000Z', notified: true });

it.each([
  ['notifies the holders if two messages have notified them', [notified('a'), notified('b')], 'TEXT_AND_NOTIFY'],
  ['is silent if three messages have notified the holders', [notified('a'), notified('b'), notified('c')], 'TEXT'],
  [
    'is silent if two messages have notified the holders and Google may have another',
    [notified('a'), notified('b'), stored('unclear', { unclear: true })],
    'TEXT',
  ],
])('an urgent message in quiet hours %s', (_, earlier, messageType) => {
  const messages = [...earlier, stored('urgent', { urgent: true })];
  const plan = planMessages(messages, 'active', { now, isQuiet: true, mayBeSent: false });
  const { message } = messageWrite({ messages, openClaims: 1 }, plan, now);
  expect(message).toMatchObject({ id: 'urgent', messageType });
});

it('a write removes a replaced message that Google may have, and adds the message that replaces it', () => {
  const messages = [stored('a', { topic: 'gate', unclear: true }), stored('b', { topic: 'gate' })];
  const plan = planMessages(messages, 'active', { now, isQuiet: false, mayBeSent: false });
  const claimed = { messages, openClaims: 1 };
  expect(messageWrite(claimed, plan, now)).toMatchObject({ message: { id: 'b', mayExist: false }, mayHave: ['a'] });
  const stays = { status: 200, reason: null, retryAfterSeconds: null, hasUsers: null };
  const result = { ...stays, outcome: 'stored', found: [], message: 'notified' } as const;
  expect(changesAfter(claimed, plan, result, now)).toMatchObject({ a: null, b: { notified: true } });
});
