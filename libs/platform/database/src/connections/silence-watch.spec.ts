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

/**
 * Advances the clock.
 * @returns true if the watch has ended the connection
 */
function isGivenUpWithin(ms: number): boolean {
  const before = given.length;
  jest.advanceTimersByTime(ms);
  return given.length > before;
}

const hearOthers = () => (responses.heardAt = performance.now());

it('SilenceWatch ends a connection if a statement has no response one second after its time limit', () => {
  watch.sent(0);
  hearOthers();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
  expect(given).toEqual([expect.any(DatabaseSilent)]);
});

it('SilenceWatch restarts the wait at each response, and never ends a connection without waiting statements', () => {
  watch.sent(0);
  watch.sent(0);
  jest.advanceTimersByTime(5000);
  watch.responded();
  expect(isGivenUpWithin(limitMs - 1)).toBe(false);
  watch.end();
  expect([watch.isWaiting, isGivenUpWithin(limitMs)]).toEqual([false, false]);
});

it('SilenceWatch allows a statement its whole time limit, counted from the response to the previous one', () => {
  watch.sent(1);
  jest.advanceTimersByTime(1000);
  hearOthers();
  jest.advanceTimersByTime(8500);
  watch.responded();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});

it('SilenceWatch gives each statement its whole limit while the server responds on other connections', () => {
  watch.sent(2);
  for (const ms of [8500, 8000, 8000]) {
    expect(isGivenUpWithin(ms)).toBe(false);
    hearOthers();
  }
  expect(isGivenUpWithin(500)).toBe(true);
});

it('SilenceWatch ends a connection when the server has been silent on all connections for the limit', () => {
  watch.sent(2);
  jest.advanceTimersByTime(3000);
  hearOthers();
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});

it('SilenceWatch waits for the limit of one statement if the server never responds, even with several waiting', () => {
  watch.sent(2);
  expect([isGivenUpWithin(limitMs - 1), isGivenUpWithin(1)]).toEqual([false, true]);
});
