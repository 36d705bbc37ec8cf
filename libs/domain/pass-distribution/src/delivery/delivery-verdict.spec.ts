import type { DeviceProgress, PushState } from '@passwright/apple-wallet';
import { judged } from './delivery-verdict.js';

const now = new Date('2026-11-20T12:00:00.000Z');
const versionAt = new Date('2026-11-20T11:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const on: PushState = { state: 'on', reason: null, retryAt: null };
const off: PushState = { state: 'off', reason: 'A development certificate signs.', retryAt: null };
const halted: PushState = { state: 'halted', reason: 'BadCertificate', retryAt: minutesAgo(-15) };

const outdated: DeviceProgress = {
  seenAt: minutesAgo(90),
  reported: true,
  fetchedAt: null,
  lastFetchAt: null,
  pushedAt: null,
  pushStatus: null,
  pushReason: null,
  dueAt: null,
};
const pushed = (minutes: number) => ({ pushedAt: minutesAgo(minutes), pushStatus: 200 });

it.each<[string, Partial<DeviceProgress>, string, RegExp]>([
  ['it holds the version', { seenAt: versionAt }, 'up_to_date', /it was added with it/],
  [
    'it has fetched the version',
    { seenAt: versionAt, fetchedAt: minutesAgo(3) },
    'up_to_date',
    /fetched it at 2026-11-20T11:57/,
  ],
  [
    'another caller has fetched the version, and the device was not notified of it',
    { seenAt: versionAt, reported: false },
    'waiting',
    /not pushed yet/,
  ],
  ['a push is due', { dueAt: now }, 'waiting', /not pushed yet.*is pushed at 2026-11-20T12:00/],
  ['it was pushed just now', pushed(2), 'waiting', /was pushed at 2026-11-20T11:58/],
  ['it was pushed 10 minutes ago', pushed(10), 'waiting', /was pushed/],
  [
    'it was pushed more than 10 minutes ago',
    { ...pushed(11), dueAt: minutesAgo(-49) },
    'stale',
    /is pushed at 2026-11-20T12:49/,
  ],
  ['it was pushed for the last time', pushed(3000), 'stale', /pushed again when the pass changes/],
  [
    'the push failed',
    { pushedAt: minutesAgo(30), pushStatus: 503, pushReason: 'ServiceUnavailable', dueAt: now },
    'waiting',
    /failed at 2026-11-20T11:30:00.000Z \(503 ServiceUnavailable\)/,
  ],
  [
    'it has fetched other passes since the push, but not this one',
    { ...pushed(60), lastFetchAt: minutesAgo(59) },
    'waiting',
    /not pushed yet/,
  ],
])('the verdict explains the state of a device when %s', (_, progress, verdict, words) => {
  const judgement = judged({ ...outdated, ...progress }, versionAt, on, now);
  expect(judgement).toMatchObject({ verdict, explanation: expect.stringMatching(words) });
});

it('the verdict says why pushes are disabled, and does not announce a push', () => {
  const judgement = judged({ ...outdated, dueAt: now }, versionAt, off, now);
  expect(judgement).toMatchObject({ verdict: 'waiting', nextPush: null });
  expect(judgement.explanation).toMatch(/Pushes are off: A development certificate signs\. It gets/);
});

it('the verdict says why pushes are stopped, and announces the next attempt', () => {
  const judgement = judged({ ...outdated, dueAt: now }, versionAt, halted, now);
  expect(judgement).toMatchObject({ verdict: 'waiting', nextPush: halted.retryAt });
  expect(judgement.explanation).toMatch(/halted: BadCertificate\. .*2026-11-20T12:15/);
});

it('the verdict does not announce a push for a device that is up to date, even if a push is planned', () => {
  expect(judged({ ...outdated, seenAt: versionAt, dueAt: now }, versionAt, on, now).nextPush).toBeNull();
});
