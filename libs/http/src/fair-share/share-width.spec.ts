import { performance } from 'node:perf_hooks';
import { ShareWidth } from './share-width.js';

let use: { active: number; idle: number; utilization: number };
beforeEach(() => {
  use = { active: 0, idle: 0, utilization: 0 };
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => use);
});
afterEach(() => jest.restoreAllMocks());

/** Lets time pass in which the event loop was busy for this part of it. */
function pass(ms: number, utilization: number): void {
  use = { active: ms * utilization, idle: ms * (1 - utilization), utilization };
}

it('is one at first, and grows by one in each tenth of a second in which the loop is not busy, up to the most', () => {
  const width = new ShareWidth(3);
  const seen = [0, 100, 100, 100].map((ms) => {
    pass(ms, 0.2);
    return width.current;
  });
  expect(seen).toEqual([1, 2, 3, 3]);
});

it('is one again as soon as the loop has been busy', () => {
  const width = new ShareWidth(3);
  pass(100, 0);
  expect(width.current).toBe(2);
  pass(99, 1);
  expect(width.current).toBe(2);
  pass(100, 0.6);
  expect(width.current).toBe(1);
});
