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

/** Moves the clock on. @returns true if the connection was given up meanwhile */
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

it('a connection is not given up after the last response; a response restarts the wait for other statements', () => {
  watch.sent(0);
  watch.sent(0);
  jest.advanceTimersByTime(5000);
  watch.responded();
  expect(isGivenUpWithin(limitMs - 1)).toBe(false);
  watch.end();
  expect([watch.isWaiting, isGivenUpWithin(limitMs)]).toEqual([false, false]);
});

it('after a response, a statement that waits behind statements sent together has the whole limit', () => {
  watch.sent(1);
  jest.advanceTimersByTime(1000);
  hearOthers();
  jest.advanceTimersByTime(8500);
  watch.responded();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});

it('statements that were sent together may each take the whole limit while the server responds to others', () => {
  watch.sent(2);
  for (const ms of [8500, 8000, 8000]) {
    expect(isGivenUpWithin(ms)).toBe(false);
    hearOthers();
  }
  expect(isGivenUpWithin(500)).toBe(true);
});

it('a connection with statements that were sent together is given up when the server was silent for the same time', () => {
  watch.sent(2);
  jest.advanceTimersByTime(3000);
  hearOthers();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});

it('a connection with statements sent together is given up at the limit of one statement if nothing responds', () => {
  watch.sent(2);
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});
