/**
 * Tests the checks of the order of messages with made-up messages. A spec of the API runs this file, and so can node
 * --test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkArrivals, checkShown, checkTopicsAtGoogle, readOrder } from './message-order.mjs';

/** Returns a message that was due at `sendAt` and that the pass got at `sentAt`. */
const message = (id, sendAt, sentAt, topic = '', pass = 'soak/p1') => {
  return { ...{ id, pass, topic, sendAt, sentAt }, createdAt: sendAt };
};
/** @returns the failures that a check reports */
function failuresOf(check) {
  const failures = [];
  check({ check: (holds, failure) => !holds && failures.push(failure) });
  return failures;
}
const arrivals = (received, paused = []) => failuresOf((stage) => checkArrivals(stage, received, new Set(paused)));
const screens = (received, ids, paused = []) => {
  const shown = new Map([['soak/p1', ids.map((id) => ['soak/p1', id])]]);
  return failuresOf((stage) => checkShown(stage, { received, shown }, new Set(paused)));
};

void test('checkArrivals accepts messages of a pass in the order of their times, and messages of different passes in any order', () => {
  assert.deepEqual(arrivals([message('b', 2, 20), message('a', 1, 10)]), []);
  assert.deepEqual(arrivals([message('a', 1, 20), message('b', 2, 10, '', 'soak/p2')]), []);
});

void test('checkArrivals reports a message that arrives before an earlier message whose pass is still being prepared', () => {
  const early = ['1 messages arrived too early: b before a on soak/p1'];
  assert.deepEqual(arrivals([message('a', 1, 120), message('b', 2, 10)]), early);
  const sameTime = [message('a', 1, 120), { ...message('b', 1, 10), createdAt: 2 }];
  assert.deepEqual(arrivals(sameTime), early);
});

void test('checkArrivals accepts a paused message that arrives late, unless a later message has the same topic', () => {
  assert.deepEqual(arrivals([message('a', 1, 120), message('b', 2, 10)], ['a']), []);
  assert.deepEqual(arrivals([message('a', 1, 120, 'gate'), message('b', 2, 10, 'bar')], ['a']), []);
  const replaced = ['1 messages arrived too early: b before a on soak/p1'];
  assert.deepEqual(arrivals([message('a', 1, 120, 'gate'), message('b', 2, 10, 'gate')], ['a']), replaced);
});

void test('checkShown accepts the newest message on top, a paused message that is late, and the last message of each topic', () => {
  const received = [message('a', 1, 10), message('b', 2, 20, 'gate'), message('c', 3, 30, 'gate')];
  assert.deepEqual(screens(received, ['c', 'a']), []);
  assert.deepEqual(screens([message('a', 1, 40), message('b', 2, 20)], ['a', 'b'], ['a']), []);
});

void test('checkShown reports a newer message below an older one, and a message that the pass did not get', () => {
  const below = ['1 passes show messages in a wrong order: b is below an earlier message on soak/p1'];
  assert.deepEqual(screens([message('a', 1, 10), message('b', 2, 20)], ['a', 'b']), below);
  const strange = ['1 passes show messages in a wrong order: soak/p1 shows a message that it did not get'];
  assert.deepEqual(screens([message('a', 1, 10)], ['b', 'a']), strange);
});

void test('checkShown reports an older message that is shown although a newer message has the same topic', () => {
  const received = [message('a', 1, 30, 'gate'), message('b', 2, 20, 'gate')];
  const wrong = ['a is on soak/p1, which got a later message with its topic'];
  const failure = `1 passes show messages in a wrong order: ${wrong}`;
  assert.deepEqual(screens(received, ['a'], ['a']), [failure]);
  assert.deepEqual(screens(received, ['b', 'a'], ['a']), [failure]);
});

void test('checkTopicsAtGoogle reports a message that reaches an object after a later message with the same topic', () => {
  const received = [message('a', 1, 10, 'gate'), message('b', 2, 20, 'gate'), message('c', 0, 30, 'bar')];
  const atGoogle = (...ids) => {
    const added = ids.map((id) => ({ id, resourceId: 'object-1' }));
    return failuresOf((stage) => checkTopicsAtGoogle(stage, added, received));
  };
  assert.deepEqual(atGoogle('a', 'b', 'c'), []);
  const late = 'a (1 1 10 ) after b (2 2 20 ) on object-1 gate';
  assert.deepEqual(atGoogle('b', 'c', 'change-1', 'a'), [`Google got 1 messages after a later one: ${late}`]);
});

void test('readOrder reads which messages passes got and which they show', () => {
  const sql = (text) =>
    text.includes('message_recipient') ? 'soak/p1|b|gate|3|2|1\nsoak/p1|a||3|2|1' : 'soak/p1|b\nsoak/p1|a';
  assert.deepEqual(readOrder(sql), {
    received: [
      { pass: 'soak/p1', id: 'b', topic: 'gate', sentAt: 3, sendAt: 2, createdAt: 1 },
      { pass: 'soak/p1', id: 'a', topic: '', sentAt: 3, sendAt: 2, createdAt: 1 },
    ],
    shown: new Map([
      [
        'soak/p1',
        [
          ['soak/p1', 'b'],
          ['soak/p1', 'a'],
        ],
      ],
    ]),
  });
});
