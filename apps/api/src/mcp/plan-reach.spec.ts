import { reachInNumbers, reachInWords } from './plan-reach.service.js';

it('reachInWords says "at least" for each incomplete count, even if the count is small', () => {
  const reach = {
    passes: { count: 100_000, isAtLeast: true },
    appleDevices: { count: 1, isAtLeast: true },
    googlePasses: { count: 0, isAtLeast: false },
  };
  expect(reachInWords(reach)).toBe(
    'It reaches at least 100,000 passes, on at least 1 Apple device and with 0 passes in Google Wallet.',
  );
  expect(reachInNumbers(reach)).toEqual({ passes: 100_000, appleDevices: 1, googlePasses: 0 });
});
