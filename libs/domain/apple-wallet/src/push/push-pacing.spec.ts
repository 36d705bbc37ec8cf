import { defaultPacing, nextLookSeconds, pauseSeconds } from './push-pacing.js';

describe('pauseSeconds', () => {
  it('pauseSeconds returns the push window for the first pushes, and a longer pause after them', () => {
    expect([1, 19.9, 20, 25].map((score) => pauseSeconds(score, defaultPacing))).toEqual([30, 30, 1800, 1800]);
  });

  it('pauseSeconds returns at least the push window, and exactly the push window without an hourly limit', () => {
    expect(pauseSeconds(99, { windowSeconds: 600, perHour: 3600, burst: 1 })).toBe(600);
    expect(pauseSeconds(99, { windowSeconds: 0, perHour: 0, burst: 1 })).toBe(0);
  });
});

it('the service checks a device 10 minutes, 1 hour, 6 hours and 24 hours after a push, but not later', () => {
  expect([1, 2, 3, 4, 5, 99].map(nextLookSeconds)).toEqual([600, 3600, 21_600, 86_400, null, null]);
});
