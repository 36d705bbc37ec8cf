import { personalKeys, withChanges, withPersonalTexts } from './change-messages.js';
import type { StoredMessage } from './google-messages.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();
const until = hoursAgo(-24);

const change = (key: string, before: string, after: string) => ({ key, before, after, message: `${key}: ${after}` });
const after = (messages: readonly StoredMessage[], changes: ReturnType<typeof change>[], isBeingWritten = false) =>
  withChanges({ messages, isBeingWritten }, { title: 'Concert', language: 'en', changes }, now);
const stored = (id: string, more: Partial<StoredMessage> = {}): StoredMessage => {
  return { id, header: 'h', body: 'b', until, ...more };
};

describe('withChanges', () => {
  it('withChanges queues one message with all changed lines under the title of the template', () => {
    const { messages, notices } = after([], [change('seat', '12', '14'), change('gate', 'A', 'B')]);
    expect(messages).toMatchObject([
      { header: 'Concert', body: 'seat: 14\ngate: B', until: '2026-11-27T10:00:00.000Z' },
    ]);
    expect(notices.map(({ shown }) => shown)).toEqual(['notification', 'notification']);
  });

  it('withChanges returns the end of quiet hours and the number of notifications that are left at that time', () => {
    const end = new Date('2026-11-21T07:00:00.000Z');
    const used = ['a', 'b', 'c'].map((id) => stored(id, { addedAt: hoursAgo(4), notified: true }));
    const at = (quietUntil: Date) =>
      withChanges(
        { messages: used, isBeingWritten: false },
        { title: 'T', language: 'en', changes: [change('seat', '1', '2')] },
        now,
        quietUntil,
      ).notices;
    const line = { wallet: 'google', key: 'seat', message: 'seat: 2' };
    expect(at(new Date('2026-11-20T20:00:00.000Z'))).toEqual([
      { ...line, shown: 'pass', reason: 'daily_limit', notifiesAt: null },
    ]);
    expect(at(end)).toEqual([
      { ...line, shown: 'notification', reason: 'quiet_hours', notifiesAt: '2026-11-21T07:00:00.000Z' },
    ]);
  });

  it('withChanges queues the text in every language, with the original text in place of a missing translation', () => {
    const seat = { ...change('seat', '12', '14'), translations: { de: 'Platz: 14', fr: 'Siège : 14' } };
    const front = {
      title: 'Concert',
      titles: { de: 'Konzert' },
      language: 'en',
      changes: [seat, change('gate', 'A', 'B')],
    };
    const [message] = withChanges({ messages: [], isBeingWritten: false }, front, now).messages;
    expect(message).toMatchObject({
      header: 'Concert',
      body: 'seat: 14\ngate: B',
      localizedHeader: {
        defaultValue: { language: 'en', value: 'Concert' },
        translatedValues: [
          { language: 'de', value: 'Konzert' },
          { language: 'fr', value: 'Concert' },
        ],
      },
      localizedBody: {
        defaultValue: { language: 'en', value: 'seat: 14\ngate: B' },
        translatedValues: [
          { language: 'de', value: 'Platz: 14\ngate: B' },
          { language: 'fr', value: 'Siège : 14\ngate: B' },
        ],
      },
    });
    expect(after([], [change('seat', '12', '14')]).messages[0]).not.toHaveProperty('localizedBody');
  });

  it('withChanges stores the text of a message, but not the former values of fields', () => {
    const { messages } = after([], [change('seat', 'secret', '14')]);
    expect(JSON.stringify(messages)).not.toContain('secret');
  });

  it('withChanges gives a message a new id if its text changes', () => {
    const first = after([], [change('seat', '12', '13')]).messages;
    const second = after(first, [change('seat', '13', '14')]).messages;
    expect(second).toMatchObject([{ body: 'seat: 14' }]);
    expect(second[0]?.id).not.toBe(first[0]?.id);
  });

  it('withChanges removes the line of a field that becomes silent or empty', () => {
    const first = after([], [change('seat', '12', '13'), change('gate', 'A', 'B')]).messages;
    const silent = { ...change('seat', '13', '14'), message: null };
    const { messages, notices } = withChanges(
      { messages: first, isBeingWritten: false },
      { title: ' ', language: 'en', changes: [silent] },
      now,
    );
    expect(messages).toMatchObject([{ header: '-', body: 'gate: B' }]);
    expect(notices).toEqual([]);
  });

  it.each([
    ['that is being written', true, {}],
    ['that Google may have', false, { unclear: true }],
    ['that Google has', false, { addedAt: hoursAgo(1) }],
  ])('withChanges does not change a message %s', (_, isBeingWritten, more) => {
    const first = after([], [change('seat', '12', '13')]).messages.map((message) => ({ ...message, ...more }));
    const { messages } = after(first, [change('seat', '13', '12')], isBeingWritten);
    expect(messages).toMatchObject([...first, { body: 'seat: 12' }]);
  });

  it.each([
    ['an object that is being written', true, {}],
    ['messages that Google may have', false, { unclear: true }],
  ])('withChanges merges all changes into the newest message if ten messages wait (%s)', (_, isWritten, more) => {
    let messages: readonly StoredMessage[] = [];
    for (let seat = 1; seat <= 30; seat++) {
      messages = after(messages, [change('seat', `${seat - 1}`, `${seat}`)], isWritten).messages;
      messages = after(messages, seat === 15 ? [change('gate', 'A', 'B')] : [], isWritten).messages;
      messages = messages.map((message) => ({ ...message, ...more }));
    }
    expect(messages.map(({ body }) => body)).toEqual([
      ...Array.from({ length: 9 }, (_each, at) => `seat: ${at + 1}`),
      'seat: 30\ngate: B',
    ]);
    const { messages: left, notices } = after(messages, [change('seat', '30', '9')], isWritten);
    expect(left.at(-1)?.body).toBe('gate: B');
    expect(notices).toMatchObject([{ shown: 'nowhere', reason: 'undone' }]);
  });

  it('withChanges merges changes into the newest message if the messages exceed 100 kB, but never into the first message', () => {
    const long = (n: number) => ({ ...change('seat', `${n - 1}`, `${n}`), message: `${n}${'x'.repeat(60_000)}` });
    let messages: readonly StoredMessage[] = [];
    for (let n = 1; n <= 5; n++) messages = after(messages, [long(n)], true).messages;
    expect(messages.map(({ body }) => body[0])).toEqual(['1', '5']);
  });

  it('withChanges counts waiting messages towards the daily limit of notifications', () => {
    const two = [
      stored('a', { addedAt: hoursAgo(1), notified: true }),
      stored('b', { addedAt: hoursAgo(2), notified: true }),
    ];
    expect(after(two, [change('seat', '1', '2')]).notices).toMatchObject([{ shown: 'notification' }]);
    const waiting = [...two, stored('reminder')];
    expect(after(waiting, [change('seat', '1', '2')]).notices).toEqual([
      { wallet: 'google', key: 'seat', message: 'seat: 2', shown: 'pass', reason: 'daily_limit', notifiesAt: null },
    ]);
  });
});

describe('personal lines', () => {
  const name = { ...change('_primary', 'Ada', 'Grace'), isPersonal: true };
  const front = { title: 'Club', titles: { de: 'Verein' }, language: 'en' };
  const queued = (changes: object[]) =>
    withChanges({ messages: [], isBeingWritten: false }, { ...front, changes: changes as (typeof name)[] }, now)
      .messages[0]!;

  it('withChanges announces the line of a personal value, but does not store the value or its hash', () => {
    const { messages, notices } = after([], [name]);
    expect(messages).toMatchObject([{ body: 'Concert', lines: [{ key: '_primary', text: '' }] }]);
    expect(messages[0]?.lines?.[0]).not.toHaveProperty('from');
    expect(JSON.stringify(messages)).not.toMatch(/Ada|Grace/);
    expect(notices).toMatchObject([{ message: '_primary: Grace', shown: 'notification' }]);
  });

  it('withPersonalTexts adds the personal lines that the pass shows now, in all languages', () => {
    const current = [{ key: '_primary', message: 'Member: Joan', translations: { de: 'Mitglied: Joan' } }];
    const message = withPersonalTexts(queued([name, change('seat', '1', '2')]), front, current);
    expect(message).toMatchObject({
      body: 'Member: Joan\nseat: 2',
      localizedHeader: { translatedValues: [{ language: 'de', value: 'Verein' }] },
      localizedBody: { translatedValues: [{ language: 'de', value: 'Mitglied: Joan\nseat: 2' }] },
    });
  });

  it('withPersonalTexts omits a line that the pass no longer has, and never returns an empty text', () => {
    expect(withPersonalTexts(queued([name, change('seat', '1', '2')]), front, [])).toMatchObject({ body: 'seat: 2' });
    expect(withPersonalTexts(queued([name]), front, [])).toMatchObject({ body: 'Club' });
  });

  it('personalKeys returns only the keys of personal lines', () => {
    expect([...personalKeys([queued([name, change('seat', '1', '2')]), stored('other')])]).toEqual(['_primary']);
  });
});
