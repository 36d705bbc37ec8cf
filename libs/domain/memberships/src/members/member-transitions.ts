import { InvalidTransition } from '@passwright/core';
import type { Member, MemberStatus } from './member.entity.js';
import { statusAt } from './member-state.js';

/** A change of status that a caller can request. */
export type Transition = 'activate' | 'suspend' | 'cancel' | 'renew';

/** The statuses from which each transition is possible. A cancelled member has none. */
const origins: Record<Transition, readonly MemberStatus[]> = {
  activate: ['pending', 'suspended'],
  suspend: ['active'],
  cancel: ['pending', 'active', 'suspended', 'expired'],
  renew: ['active', 'expired'],
};

/**
 * Checks that a transition is possible. @throws InvalidTransition that names the current status and the possible
 * transitions
 */
export function requirePossible(member: Member, transition: Transition, now: Date): void {
  const status = statusAt(member, now);
  if (transition === 'activate' && status === 'pending') requireTime(member, now);
  if (origins[transition].includes(status)) return;
  const possible = (Object.keys(origins) as Transition[]).filter((other) => origins[other].includes(status));
  const wayOut = possible.length > 0 ? `possible: ${possible.join(', ')}` : 'this is final';
  throw new InvalidTransition(`Member ${member.id} is ${status}, so ${transition} is not possible; ${wayOut}.`);
}

/**
 * Requires that the member's expiry is not in the past. A pending member does not expire, so the expiry may pass before
 * the activation.
 */
function requireTime({ id, expiresAt }: Member, now: Date): void {
  if (!expiresAt || expiresAt > now) return;
  throw new InvalidTransition(
    `The membership of member ${id} ended on ${expiresAt.toISOString()}, before it began; PATCH a later expiry first.`,
  );
}

/** Checks that a renewal until `expiresAt` extends the membership. Null: without end. @throws InvalidTransition */
export function requireLonger({ id, expiresAt: former }: Member, expiresAt: Date | null, now: Date): void {
  if (!former) throw new InvalidTransition(`The membership of member ${id} has no end, so there is nothing to renew.`);
  const least = former > now ? former : now;
  if (expiresAt && expiresAt <= least) {
    throw new InvalidTransition(`A renewal of member ${id} must end later than ${least.toISOString()}.`);
  }
}
