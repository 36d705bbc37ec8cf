import { claimedDevices, type CheckedDevices, passedOver } from './checked-devices.js';

const now = new Date('2026-11-28T12:00:00.000Z');
const later = new Date('2026-11-28T12:00:30.000Z');
const claim = { claim: '7', claimedAt: now, incarnation: 'i1' };

const looked = (ids: readonly string[], changes: Partial<CheckedDevices> = {}): CheckedDevices => ({
  ids,
  push_tokens: ids.map((id) => `token-${id}`),
  pushed_at: ids.map(() => null),
  attempts: 0,
  failures: 0,
  bad_tokens: 0,
  outdated: true,
  later: null,
  since: null,
  ...changes,
});

it('claimedDevices returns each device with its token, the time of its last push and the counters of its group', () => {
  const first = looked(['a', 'b', 'c'], { pushed_at: [1764331200.25, null, 1764331200.25] });
  const second = looked(['d'], { attempts: 2, failures: 1, bad_tokens: 3 });
  const pushedAt = new Date(1764331200250);
  const fresh = { ...claim, pushedAt: null, attempts: 0, failures: 0, badTokens: 0 };
  expect(claimedDevices([first, second], claim)).toEqual([
    { ...fresh, id: 'a', pushToken: 'token-a', pushedAt },
    { ...fresh, id: 'b', pushToken: 'token-b' },
    { ...fresh, id: 'c', pushToken: 'token-c', pushedAt },
    { ...fresh, id: 'd', pushToken: 'token-d', attempts: 2, failures: 1, badTokens: 3 },
  ]);
});

it('passedOver keeps the counters of waiting outdated devices, and resets the push attempts of up-to-date devices', () => {
  const waiting = looked(['a', 'b'], { later, since: '5', attempts: 1, failures: 2 });
  const done = looked(['c'], { outdated: false, later, since: '6', attempts: 1, failures: 2 });
  const groups = [waiting, done, looked(['d'])];
  expect(passedOver(groups)).toEqual({
    ids: ['a', 'b', 'c'],
    later: [later, later, null],
    since: ['5', '5', '6'],
    attempts: [1, 1, 0],
    failures: [2, 2, null],
  });
  expect(claimedDevices(groups, claim).map(({ id }) => id)).toEqual(['d']);
});
