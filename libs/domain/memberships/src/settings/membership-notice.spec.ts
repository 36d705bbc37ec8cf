import { noticeOf, noticeProblem } from './membership-notice.js';

const settings = { noticeLabel: 'Club', timeZone: 'Europe/Berlin' };
const english = { own: 'en', others: new Map() } as const;
const midnight = new Date('2026-12-31T23:00:00.000Z');

it('noticeOf names the last day in the time zone of the settings, and changes the text after a reminder', () => {
  const notice = (remindersSent: Record<string, string>) =>
    noticeOf({ expiresAt: midnight, remindersSent }, settings, english)?.value;
  expect(notice({})).toMatch(/^Until .*31 December 2026$/);
  expect(notice({ week: '2026-12-24' })).not.toBe(notice({}));
});

it('noticeOf returns null for a membership without an end and for settings without a label', () => {
  expect(noticeOf({ expiresAt: null, remindersSent: {} }, settings, english)).toBeNull();
  expect(noticeOf({ expiresAt: midnight, remindersSent: {} }, { ...settings, noticeLabel: null }, english)).toBeNull();
});

const fields = (...keys: string[]) => keys.map((key) => ({ key, label: key, value: 'x' }));

it.each([
  ['the front has room', ['a', 'b', 'c'], [], null],
  ['the template itself has the field', ['a', 'b', 'c', 'membership'], [], null],
  ['the front is full', ['a', 'b', 'c', 'd'], [], /needs a front field.*null$/],
  ['the back has a field with the key of the notice', [], ['membership'], /on its back.*null$/],
])('noticeProblem explains the problem if the template has no room for the notice: %s', (_, front, back, problem) => {
  const found = noticeProblem({ id: 'club', fields: fields(...front), backFields: fields(...back) });
  if (problem === null) expect(found).toBeNull();
  else expect(found).toMatch(problem);
});
