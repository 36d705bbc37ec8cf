import { DatabaseSilent, type Responses, SilenceWatch } from './silence-watch.js';

const statementMs = 8000;
const limitMs = 9000;

let responses: Responses;
let watch: SilenceWatch;
let given: DatabaseSilent[];

beforeEach(() => {
  jest.useFakeTimers();
  responses = { statementMs, heardAt: -Infinity };
  given = [];
  watch = new SilenceWatch(responses, (silent) => given.push(silent));
});
afterEach(() => jest.useRealTimers());

/** Advances the clock. @returns true if the connection was given up meanwhile */
function isGivenUpWithin(ms: number): boolean {
  const before = given.length;
  jest.advanceTimersByTime(ms);
  return given.length > before;
}

const hearOthers = () => (responses.heardAt = performance.now());

it('a connection is given up when a statement has had no response for its limit and another second', () => {
  watch.sent(0);
  hearOthers();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
  expect(given).toEqual([expect.any(DatabaseSilent)]);
});

it('the wait for other statements restarts at each response, and a connection without waiting statements is not given up', () => {
  watch.sent(0);
  watch.sent(0);
  jest.advanceTimersByTime(5000);
  watch.responded();
  expect(isGivenUpWithin(limitMs - 1)).toBe(false);
  watch.end();
  expect([watch.isWaiting, isGivenUpWithin(limitMs)]).toEqual([false, false]);
});

it('a statement that was sent in the same round trip as an earlier one has the whole limit after the response to the earlier one', () => {
  watch.sent(1);
  jest.advanceTimersByTime(1000);
  hearOthers();
  jest.advanceTimersByTime(8500);
  watch.responded();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});

it('statements that were sent together may each take the whole limit if the server responds on other connections', () => {
  watch.sent(2);
  for (const ms of [8500, 8000, 8000]) {
    expect(isGivenUpWithin(ms)).toBe(false);
    hearOthers();
  }
  expect(isGivenUpWithin(500)).toBe(true);
});

it('a connection with statements sent together is given up when the server has been silent on all connections for the limit', () => {
  watch.sent(2);
  jest.advanceTimersByTime(3000);
  hearOthers();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});

it('a connection with statements sent together is given up after the limit of one statement if the server never responds', () => {
  watch.sent(2);
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});
