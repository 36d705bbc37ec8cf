/**
 * Tests the checks of `soak:messages` with made-up messages. A spec of the API runs this file, and so can node --test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHolders, checkRecipients } from './message-checks.mjs';

const HOUR_MS = 3_600_000;
/** Noon on a winter day in Berlin. */
const noon = Date.UTC(2026, 0, 10, 11);
/** Returns a message that Google has added the given number of hours after noon. */
const added = (hours, id = `m${hours}`, resourceId = 'object-1', notified = true) => ({
  ...{ resourceId, id, notified },
  at: new Date(noon + hours * HOUR_MS),
});

/** Collects failures in place of a `Stage`. */
class Failures {
  all = [];

  check(holds, failure) {
    if (!holds) this.all.push(failure);
  }
}

/** @returns the failures that `checkHolders` reports */
function failuresOf(addedMessages, { requests = [], known = [] } = {}) {
  const stage = new Failures();
  checkHolders(stage, { addedMessages, requests }, known);
  return stage.all;
}

/**
 * @returns the failures that `checkRecipients` reports
 * @param rows message, pass and outcome of each recipient
 */
function failuresOfRecipients(addedMessages, rows) {
  const stage = new Failures();
  const objects = new Map([['p1', 'object-1']]);
  checkRecipients(stage, { google: { addedMessages }, sql: () => rows.join('\n'), objects });
  return stage.all;
}

void test('checkHolders accepts three notifications by day, a fourth message without a notification, and the same message for another holder', () => {
  const messages = [added(0), added(1), added(2), added(3, 'm3', 'object-1', false), added(2, 'm2', 'object-2')];
  assert.deepEqual(failuresOf(messages), []);
});

void test('checkHolders reports a message that a holder gets twice, even without notifications', () => {
  assert.deepEqual(failuresOf([added(0, 'm'), added(30, 'm')]), ['1 messages were added twice: object-1 m']);
  const silent = [added(0, 'm', 'object-1', false), added(0, 'm', 'object-1', false)];
  assert.deepEqual(failuresOf(silent), ['1 messages were added twice: object-1 m']);
});

void test('checkHolders reports a fourth notification within 24 hours of the first, but accepts a later one', () => {
  const fourth = '1 times a holder would have got a fourth notification in 24 hours';
  const three = [added(0), added(1), added(2)];
  assert.deepEqual(failuresOf([...three, added(23.9)]), [fourth]);
  assert.deepEqual(failuresOf([...three, added(24)]), []);
});

void test('checkHolders reports a fourth notification even if Google has rejected it', () => {
  const requests = [{ reason: null }, { reason: 'quotaExceeded' }];
  assert.deepEqual(failuresOf([added(0)], { requests }), [
    '1 times a holder would have got a fourth notification in 24 hours',
  ]);
});

void test('checkHolders reports a notification in quiet hours unless its message is urgent', () => {
  const known = [{ id: 'm14', urgent: true }];
  const midnight = ['1 notifications in quiet hours: m12 at 2026-01-10T23:00:00.000Z'];
  assert.deepEqual(failuresOf([added(12), added(14)], { known }), midnight);
});

void test('checkRecipients accepts outcomes that match the messages at Google, and a pass that is in no wallet', () => {
  const rows = ['m0|p1|notified', 'm1|p1|expired', 'm0|p2|'];
  assert.deepEqual(failuresOfRecipients([added(0)], rows), []);
});

void test('checkRecipients reports a message without an outcome, with a wrong outcome, or without a recipient', () => {
  const wrong = (rows) => [`1 outcomes differ from what Google has: ${rows}`];
  assert.deepEqual(failuresOfRecipients([], ['m0|p1|']), wrong('m0|p1| (not at Google)'));
  assert.deepEqual(failuresOfRecipients([], ['m0|p1|notified']), wrong('m0|p1|notified (not at Google)'));
  const atGoogle = 'm0|p1|expired (at Google with a notification)';
  assert.deepEqual(failuresOfRecipients([added(0)], ['m0|p1|expired']), wrong(atGoogle));
  assert.deepEqual(failuresOfRecipients([added(0)], []), ['1 messages at Google have no recipient: m0']);
});
