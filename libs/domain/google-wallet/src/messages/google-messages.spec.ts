import { notificationsLeft, planMessages, type StoredMessage } from './google-messages.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();
const until = hoursAgo(-24);

const stored = (id: string, more: Partial<StoredMessage> = {}): StoredMessage => {
  return { id, header: 'h', body: 'b', until, ...more };
};

describe('planMessages', () => {
  const lines = [{ key: 'seat', from: 'hash', text: 'Seat: 14' }];

  it('planMessages sends waiting messages in their order, and drops those that have ended', () => {
    const messages = [stored('old', { until: hoursAgo(0) }), stored('a'), stored('b')];
    expect(planMessages(messages, 'active', now)).toEqual({
      next: messages[1],
      shown: [],
      removed: ['old'],
      hasMore: true,
    });
  });

  it('planMessages keeps a notification of the last 24 hours that is on the pass no longer', () => {
    const messages = [
      stored('silent', { addedAt: hoursAgo(1), until: hoursAgo(0) }),
      stored('yesterday', { addedAt: hoursAgo(24), until: hoursAgo(0), notified: true }),
      stored('today', { addedAt: hoursAgo(23.9), until: hoursAgo(0), notified: true }),
    ];
    expect(planMessages(messages, 'active', now)).toMatchObject({
      next: null,
      shown: [],
      removed: ['silent', 'yesterday'],
    });
    expect(notificationsLeft(messages, now)).toBe(2);
  });

  it('planMessages sends no message about changes of an inactive pass, but others', () => {
    const messages = [stored('change', { lines }), stored('reminder')];
    expect(planMessages(messages, 'inactive', now)).toMatchObject({ next: { id: 'reminder' }, removed: ['change'] });
    expect(planMessages(messages, 'active', now)).toMatchObject({ next: { id: 'change' }, removed: [] });
  });

  it('planMessages removes all messages of a deleted pass', () => {
    const messages = [stored('a'), stored('b', { addedAt: hoursAgo(1), notified: true })];
    expect(planMessages(messages, 'deleted', now)).toEqual({
      next: null,
      shown: [],
      removed: ['a', 'b'],
      hasMore: false,
    });
  });
});
