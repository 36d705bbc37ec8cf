import type { MemberStatus } from './member.entity.js';
import { statusAt } from './member-state.js';
import { requireLonger, requirePossible, type Transition } from './member-transitions.js';
import { Member, memberStatuses } from './member.entity.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const before = new Date(now.getTime() - 1);
const after = new Date(now.getTime() + 1);

function aMember(status: MemberStatus, expiresAt: Date | null = null): Member {
  return Object.assign(new Member(), { id: 7, status, expiresAt });
}

const possible = (member: Member) =>
  (['activate', 'suspend', 'cancel', 'renew'] as Transition[]).filter((transition) => {
    try {
      requirePossible(member, transition, now);
      return true;
    } catch {
      return false;
    }
  });

it.each<[MemberStatus, Transition[]]>([
  ['pending', ['activate', 'cancel']],
  ['active', ['suspend', 'cancel', 'renew']],
  ['suspended', ['activate', 'cancel']],
  ['expired', ['cancel', 'renew']],
  ['cancelled', []],
])('a member with the status "%s" allows only the transitions %j', (status, transitions) => {
  expect(possible(aMember(status))).toEqual(transitions);
  expect(possible(aMember(status, after))).toEqual(transitions);
});

it('statusAt returns "expired" for an active or suspended member from the moment of the expiry', () => {
  for (const status of ['active', 'suspended'] as const) {
    expect(statusAt(aMember(status, now), now)).toBe('expired');
    expect(statusAt(aMember(status, after), now)).toBe(status);
    expect(possible(aMember(status, now))).toEqual(['cancel', 'renew']);
  }
  for (const status of memberStatuses) expect(statusAt(aMember(status), now)).toBe(status);
  expect(statusAt(aMember('pending', before), now)).toBe('pending');
  expect(possible(aMember('pending', before))).toEqual(['cancel']);
});

it('the error of requirePossible names the status and the possible transitions', () => {
  const rejected = (member: Member, transition: Transition) => () => requirePossible(member, transition, now);
  expect(rejected(aMember('active'), 'activate')).toThrow(/7 is active.*possible: suspend, cancel, renew\.$/);
  expect(rejected(aMember('cancelled'), 'renew')).toThrow(/cancelled.*final\.$/);
  expect(rejected(aMember('pending', before), 'activate')).toThrow(/ended on .* PATCH a later expiry/);
});

it('a renewal must end later than the current membership', () => {
  const renewal = (former: Date | null, expiresAt: Date | null) => () =>
    requireLonger(aMember('active', former), expiresAt, now);
  expect(renewal(before, after)).not.toThrow();
  expect(renewal(after, null)).not.toThrow();
  expect(renewal(after, after)).toThrow(/later than 2026-11-20T10:00:00.001Z/);
  expect(renewal(before, now)).toThrow(/later than 2026-11-20T10:00:00.000Z/);
  expect(renewal(null, after)).toThrow(/has no end/);
});
