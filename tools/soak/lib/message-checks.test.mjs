/** Checks the checks of `soak:messages` with made-up messages. Run by a spec of the API, and by node --test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHolders, checkRecipients } from './message-checks.mjs';

const HOUR_MS = 3_600_000;
/** Noon on a winter day in Berlin. */
const noon = Date.UTC(2026, 0, 10, 11);
/** Returns a message that Google has added some hours after noon. */
const added = (hours, id = `m${hours}`, resourceId = 'object-1', notified = true) => ({
  ...{ resourceId, id, notified },
  at: new Date(noon + hours * HOUR_MS),
});

/** Collects failures as a stage does. */
class Failures {
  all = [];

  check(holds, failure) {
    if (!holds) this.all.push(failure);
  }
}

/** @returns the failures of the check of holders */
function failuresOf(addedMessages, { requests = [], known = [] } = {}) {
  const stage = new Failures();
  checkHolders(stage, { addedMessages, requests }, known);
  return stage.all;
}

/** @returns the failures of the check of recipients. @param rows message, pass and outcome of each recipient */
function failuresOfRecipients(addedMessages, rows) {
  const stage = new Failures();
  const objects = new Map([['p1', 'object-1']]);
  checkRecipients(stage, { google: { addedMessages }, sql: () => rows.join('\n'), objects });
  return stage.all;
}

void test('checkHolders accepts three notifications by day, a silent fourth message, and the same message to another holder', () => {
  const messages = [added(0), added(1), added(2), added(3, 'm3', 'object-1', false), added(2, 'm2', 'object-2')];
  assert.deepEqual(failuresOf(messages), []);
});

void test('checkHolders reports a message that a holder gets twice, even if it is silent', () => {
  assert.deepEqual(failuresOf([added(0, 'm'), added(30, 'm')]), ['1 messages were added twice: object-1 m']);
  const silent = [added(0, 'm', 'object-1', false), added(0, 'm', 'object-1', false)];
  assert.deepEqual(failuresOf(silent), ['1 messages were added twice: object-1 m']);
});

void test('checkHolders reports a fourth notification within 24 hours of the first, but accepts it 24 hours after the first', () => {
  const fourth = '1 times a holder would have got a fourth notification in 24 hours';
  const three = [added(0), added(1), added(2)];
  assert.deepEqual(failuresOf([...three, added(23.9)]), [fourth]);
  assert.deepEqual(failuresOf([...three, added(24)]), []);
});

void test('checkHolders reports a fourth notification that Google has rejected', () => {
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

void test('checkRecipients accepts outcomes that match what Google has, and a pass in no wallet', () => {
  const rows = ['m0|p1|notified', 'm1|p1|expired', 'm0|p2|'];
  assert.deepEqual(failuresOfRecipients([added(0)], rows), []);
});

void test('checkRecipients reports a message without an outcome, one with the wrong outcome, and one without a recipient', () => {
  const wrong = (rows) => [`1 outcomes differ from what Google has: ${rows}`];
  assert.deepEqual(failuresOfRecipients([], ['m0|p1|']), wrong('m0|p1| (not at Google)'));
  assert.deepEqual(failuresOfRecipients([], ['m0|p1|notified']), wrong('m0|p1|notified (not at Google)'));
  const atGoogle = 'm0|p1|expired (at Google with a notification)';
  assert.deepEqual(failuresOfRecipients([added(0)], ['m0|p1|expired']), wrong(atGoogle));
  assert.deepEqual(failuresOfRecipients([added(0)], []), ['1 messages at Google have no recipient: m0']);
});
