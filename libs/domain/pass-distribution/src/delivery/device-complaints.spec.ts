import type { PassDevice } from '@passwright/apple-wallet';
import { sortedComplaints } from './device-complaints.js';
import { meaningOf } from './log-line-meanings.js';

const receivedAt = new Date('2026-11-20T10:00:00.000Z');
const device = { deviceId: 'ours', deviceLibraryIdentifier: 'c0ffee11' } as PassDevice;
const sorted = (...lines: string[]) =>
  sortedComplaints(
    lines.map((line) => ({ line, receivedAt })),
    [device],
  );

// The log lines are originals from iOS.
it.each([
  [
    'Web service error: Device received spurious push. passesUpdatedSince returned no serial numbers.',
    /found nothing new/,
  ],
  ['requested update to serial number abc, but the pass was unchanged.', /already had it/],
  ['Server did not provide a last-modified header for serial number abc', /without a Last-Modified/],
  ["Server ignored the 'if-modified-since' header and returned the full unchanged pass data", /harmless/],
  ['Server returned serial numbers but omitted a lastUpdated tag', /new tag/],
  ['Update requested for unregistered serial number abc', /no longer has/],
  ['Get pass task encountered error: received invalid pass data', /shows the previous one/],
  ['Register task encountered error: Authentication failure', /another authentication token/],
  ['Get serial #s task encountered error: Unexpected response code 502', /proxy or firewall/],
  ['Get pass task encountered error: The network connection was lost.', /tries again/],
])('meaningOf explains the log line: %s', (line, meaning) => {
  expect(meaningOf(line)).toMatch(meaning);
});

it('meaningOf returns null for an unknown log line', () => {
  expect(meaningOf('<script>alert(1)</script>')).toBeNull();
});

it('sortedComplaints assigns a log line to the device that it names, and replaces its identifier', () => {
  const { byDevice, others } = sorted('Get pass task (for device c0ffee11, pass type p) failed', 'no name');
  expect(byDevice.get('ours')).toMatchObject([{ line: 'Get pass task (for device ours, pass type p) failed' }]);
  expect(others).toMatchObject([{ at: receivedAt.toISOString(), line: 'no name', meaning: null }]);
});

it.each(['e', 'failure', 'Authent', 'Authentic', 'c0ffee11'])(
  'sortedComplaints ignores the identifier %s, which is too short or only a part of a word in the log line',
  (deviceLibraryIdentifier) => {
    const short = { deviceId: 'short', deviceLibraryIdentifier } as PassDevice;
    const line = 'Get pass task (for device c0ffee11-2, pass type p): Authentication failure';
    const { byDevice, others } = sortedComplaints([{ line, receivedAt }], [short, device]);
    expect([byDevice.size, others.length]).toEqual([0, 1]);
  },
);

it('sortedComplaints finds a device identifier as a whole word, whatever characters it contains', () => {
  const odd = { deviceId: 'odd', deviceLibraryIdentifier: 'a.*b (é)[$&' } as PassDevice;
  const line = '(a.*b (é)[$&, twice: a.*b (é)[$&)';
  const { byDevice } = sortedComplaints([{ line, receivedAt }], [odd]);
  expect(byDevice.get('odd')).toMatchObject([{ line: '(odd, twice: odd)' }]);
});

it('sortedComplaints removes device identifiers from log lines, even those of unknown devices', () => {
  const { byDevice, others } = sorted('for device c0ffee11, and device decaf: x', '(for device decaf, pass type p)');
  expect(JSON.stringify([...byDevice.values(), others])).not.toMatch(/c0ffee11|decaf/);
});

it('sortedComplaints shortens long log lines and keeps at most 20 lines', () => {
  const { others } = sorted(...Array.from({ length: 30 }, () => 'x'.repeat(1000)));
  expect(others).toHaveLength(20);
  expect(others[0]?.line).toHaveLength(500);
});
