import { planMessages, type StoredMessage, type WriteTime } from './google-messages.js';
import { notificationsLeft } from './notification-limit.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();
const until = hoursAgo(-24);

const stored = (id: string, more: Partial<StoredMessage> = {}): StoredMessage => {
  return { id, header: 'h', body: 'b', until, ...more };
};

const at = (more: Partial<WriteTime> = {}): WriteTime => ({ now, isQuiet: false, mayBeSent: false, ...more });

describe('planMessages', () => {
  const lines = [{ key: 'seat', from: 'hash', text: 'Seat: 14' }];

  it('planMessages sends waiting messages in order, and drops messages that have ended', () => {
    const messages = [stored('old', { until: hoursAgo(0) }), stored('a'), stored('b')];
    expect(planMessages(messages, 'active', at())).toEqual({
      next: messages[1],
      shown: [],
      removed: ['old'],
      hasMore: true,
      isHeld: false,
      mustLook: false,
    });
  });

  it('planMessages keeps a notification of the last 24 hours even if it is no longer on the pass', () => {
    const messages = [
      stored('silent', { addedAt: hoursAgo(1), until: hoursAgo(0) }),
      stored('yesterday', { addedAt: hoursAgo(24), until: hoursAgo(0), notified: true }),
      stored('today', { addedAt: hoursAgo(23.9), until: hoursAgo(0), notified: true }),
    ];
    expect(planMessages(messages, 'active', at())).toMatchObject({
      next: null,
      shown: [],
      removed: ['silent', 'yesterday'],
    });
    expect(notificationsLeft(messages, now)).toBe(2);
  });

  it('planMessages drops messages about changes of an inactive pass, but sends its other messages', () => {
    const messages = [stored('change', { lines }), stored('reminder')];
    expect(planMessages(messages, 'inactive', at())).toMatchObject({ next: { id: 'reminder' }, removed: ['change'] });
    expect(planMessages(messages, 'active', at())).toMatchObject({ next: { id: 'change' }, removed: [] });
  });

  it('planMessages removes all messages of a deleted pass', () => {
    const messages = [stored('a'), stored('b', { addedAt: hoursAgo(1), notified: true })];
    expect(planMessages(messages, 'deleted', at())).toEqual({
      next: null,
      shown: [],
      removed: ['a', 'b'],
      hasMore: false,
      isHeld: false,
      mustLook: false,
    });
  });

  it('planMessages postpones messages in quiet hours, except urgent messages', () => {
    const messages = [stored('a'), stored('urgent', { urgent: true }), stored('b')];
    const plan = planMessages(messages, 'active', at({ isQuiet: true }));
    expect(plan).toMatchObject({ next: { id: 'urgent' }, removed: [], hasMore: false, isHeld: true });
    const left = messages.filter(({ urgent }) => !urgent);
    expect(planMessages(left, 'active', at({ isQuiet: true }))).toMatchObject({ next: null, isHeld: true });
    expect(planMessages(left, 'active', at())).toMatchObject({ next: { id: 'a' }, hasMore: true, isHeld: false });
  });

  it('planMessages keeps an expired message that Google may have, and requires reading the object first', () => {
    const messages = [stored('a', { until: hoursAgo(0), unclear: true }), stored('b', { until: hoursAgo(0) })];
    expect(planMessages(messages, 'active', at())).toMatchObject({ next: null, removed: ['b'], mustLook: true });
    expect(planMessages(messages, 'active', at({ mayBeSent: true }))).toMatchObject({ removed: [], mustLook: true });
    expect(planMessages(messages, 'deleted', at())).toMatchObject({ removed: ['a', 'b'], mustLook: false });
  });

  it('planMessages drops a waiting message if a later message has the same topic', () => {
    const messages = [stored('a', { topic: 'gate' }), stored('b'), stored('c', { topic: 'gate' })];
    expect(planMessages(messages, 'active', at())).toMatchObject({ next: { id: 'b' }, removed: ['a'] });
  });

  it('planMessages keeps a replaced message that Google may have, but does not send it', () => {
    const messages = [stored('a', { topic: 'gate' }), stored('b', { topic: 'gate' })];
    const expected = { next: { id: 'b' }, removed: [], mustLook: true };
    expect(planMessages(messages, 'active', at({ mayBeSent: true }))).toMatchObject(expected);
    const unclear = messages.map((message) => ({ ...message, unclear: true }));
    expect(planMessages(unclear, 'active', at())).toMatchObject(expected);
  });

  it('planMessages keeps only the last message of a topic on the pass', () => {
    const added = { addedAt: hoursAgo(1), topic: 'gate' };
    const messages = [stored('a', added), stored('b', added), stored('c', { addedAt: hoursAgo(1) })];
    const ids = (plan: ReturnType<typeof planMessages>) => plan.shown.map(({ id }) => id);
    expect(ids(planMessages(messages, 'active', at()))).toEqual(['b', 'c']);
    expect(ids(planMessages([...messages, stored('d', { topic: 'gate' })], 'active', at()))).toEqual(['c']);
  });
});
