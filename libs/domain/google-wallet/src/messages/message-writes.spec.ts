import { planMessages, type StoredMessage } from './google-messages.js';
import { messageWrite } from './message-writes.js';

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
