import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import { Clock, type IfMatch, InvalidTransition, requireMatch, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import { applyMergePatch } from '@passwright/passes';
import { shareTemplate, TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { MembershipSettings } from '../settings/membership-settings.entity.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { nextDue } from './reminder-schedule.js';
import { MemberPassesService } from './member-passes.service.js';
import { changedMember, newTerm, statusAt } from './member-state.js';
import { requireLonger, requirePossible, type Transition } from './member-transitions.js';
import { maxDataLength, type MemberNow, type MemberPatch, memberTag } from './member.dto.js';
import type { Member } from './member.entity.js';
import { MemberNotFound } from './members.errors.js';
import { MembersRepository } from './members.repository.js';

/** A locked member, with its locked settings, template and pass. */
interface Held {
  readonly tx: EntityManager;
  readonly member: Member;
  readonly settings: MembershipSettings;
  readonly now: Date;
}

const events: Record<Transition, string> = {
  activate: 'member.activated',
  suspend: 'member.suspended',
  cancel: 'member.cancelled',
  renew: 'member.renewed',
};

/** Changes and deletes members, and updates their passes in the same transaction. */
@Injectable()
export class MemberChangesService {
  constructor(
    private readonly database: Database,
    private readonly repository: MembersRepository,
    private readonly settings: SettingsRepository,
    private readonly templates: TemplatesService,
    private readonly passes: MemberPassesService,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes a member by a JSON merge patch. A new expiry begins a new term with all its reminders.
   * @throws MemberNotFound, ValidationFailed, MemberExists, PreconditionFailed, InvalidTransition for a new expiry of
   * an expired or cancelled member
   */
  patch(accountId: string, id: number, patch: MemberPatch, ifMatch: IfMatch): Promise<MemberNow> {
    return this.hold(accountId, id, ifMatch, async ({ tx, member, settings, now }) => {
      const changes = patched(member, patch, settings, now);
      const isChanged = Object.entries(changes).some(([name, value]) => {
        return !isDeepStrictEqual(member[name as keyof Member], value);
      });
      if (!isChanged) return member;
      const changed = changedMember(member, changes, now);
      await this.repository.update(tx, changed);
      await this.passes.follow(tx, changed, settings, now);
      await this.record(tx, member, 'member.changed');
      return changed;
    });
  }

  /** Activates a pending or suspended membership. @throws the same errors as `toActive` */
  activate(accountId: string, id: number, ifMatch: IfMatch = null): Promise<MemberNow> {
    return this.hold(accountId, id, ifMatch, (held) => {
      const { member, settings, now } = held;
      requirePossible(member, 'activate', now);
      // Skip reminders that were due while the member was not active.
      const dueAt = nextDue({ ...member, status: 'active' }, settings, now);
      return this.toActive(held, 'activate', { status: 'active', remindedUntil: now, dueAt });
    });
  }

  /**
   * Begins a new term of an active or expired membership. @param expiry null: without end.
   * @throws the same errors as `toActive`
   */
  renew(accountId: string, id: number, expiry: string | null | undefined, ifMatch: IfMatch = null): Promise<MemberNow> {
    if (expiry === undefined) throw new ValidationFailed('expiry is required: the new end, or null for none');
    const expiresAt = expiry === null ? null : new Date(expiry);
    return this.hold(accountId, id, ifMatch, (held) => {
      const { member, settings, now } = held;
      requirePossible(member, 'renew', now);
      requireLonger(member, expiresAt, now);
      return this.toActive(held, 'renew', newTerm({ status: 'active', expiresAt }, settings, now));
    });
  }

  /** @throws MemberNotFound, PreconditionFailed, InvalidTransition */
  suspend(accountId: string, id: number, ifMatch: IfMatch = null): Promise<MemberNow> {
    return this.hold(accountId, id, ifMatch, (held) => {
      const { member, settings, now } = held;
      requirePossible(member, 'suspend', now);
      const dueAt = nextDue({ ...member, status: 'suspended' }, settings, now);
      return this.toVoid(held, 'suspend', { status: 'suspended', dueAt });
    });
  }

  /** Cancels a membership. This cannot be undone. @throws MemberNotFound, PreconditionFailed, InvalidTransition */
  cancel(accountId: string, id: number, ifMatch: IfMatch = null): Promise<MemberNow> {
    return this.hold(accountId, id, ifMatch, (held) => {
      requirePossible(held.member, 'cancel', held.now);
      return this.toVoid(held, 'cancel', { status: 'cancelled', dueAt: null });
    });
  }

  /** Deletes a member and its pass; phones receive a void version. @throws MemberNotFound, PreconditionFailed */
  async delete(accountId: string, id: number, ifMatch: IfMatch = null): Promise<void> {
    await this.hold(accountId, id, ifMatch, async ({ tx, member, now }) => {
      await this.repository.delete(tx, member);
      await this.passes.delete(tx, member, now);
      await this.record(tx, member, 'member.deleted');
      return member;
    });
  }

  /**
   * Makes the member's pass valid. If the pass was deleted, issues a new one under the same id.
   * @throws MemberNotFound, InvalidTransition, LimitExceeded, TemplateArchived, TemplateNotFound if the pass and its
   * template were deleted
   */
  private async toActive(held: Held, transition: Transition, changes: Partial<Member>): Promise<Member> {
    const { tx, member, settings, now } = held;
    const template = await this.templates.lockForIssue(tx, member.accountId, member.templateId);
    const changed = changedMember(member, changes, now);
    await this.repository.update(tx, changed);
    const followed = await this.passes.follow(tx, changed, settings, now);
    if (followed === null) await this.passes.issue(tx, template, settings, [changed], now);
    await this.record(tx, member, events[transition]);
    return changed;
  }

  private async toVoid(held: Held, transition: Transition, changes: Partial<Member>): Promise<Member> {
    const { tx, member, settings, now } = held;
    const changed = changedMember(member, changes, now);
    await this.repository.update(tx, changed);
    await this.passes.follow(tx, changed, settings, now);
    await this.record(tx, member, events[transition]);
    return changed;
  }

  /** Takes the locks in the order that `settings-lock.ts` defines. @throws MemberNotFound, PreconditionFailed */
  private async hold(
    accountId: string,
    id: number,
    ifMatch: IfMatch,
    work: (held: Held) => Promise<Member>,
  ): Promise<MemberNow> {
    const known = await this.repository.find(accountId, id);
    if (!known) throw new MemberNotFound(id);
    return this.database.transaction(async (tx) => {
      const settings = await this.settings.lockForShare(tx, accountId);
      await shareTemplate(tx, accountId, known.templateId);
      const member = await this.repository.lock(tx, accountId, id);
      if (!member || !settings) throw new MemberNotFound(id);
      // Read the time only after taking the locks, because waiting for them takes time.
      const now = this.clock.now();
      requireMatch(ifMatch, 'member', memberTag({ member, status: statusAt(member, now) }));
      const result = await work({ tx, member, settings, now });
      return { member: result, status: statusAt(result, now) };
    });
  }

  private record(tx: EntityManager, { accountId, id }: Member, action: string): Promise<void> {
    return this.auditLog.record(tx, { accountId, action, target: { kind: 'member', id: String(id) } });
  }
}

/** Returns the changes that a patch makes. @throws ValidationFailed, InvalidTransition */
function patched(member: Member, patch: MemberPatch, settings: MembershipSettings, now: Date): Partial<Member> {
  const required = (['email', 'name'] as const).filter((property) => patch[property] === null);
  if (required.length > 0) {
    throw new ValidationFailed(
      required.map((property) => `${property} cannot be cleared: leave it out, or give another`),
    );
  }
  return {
    email: patch.email ?? member.email,
    name: patch.name ?? member.name,
    data: patchedData(member, patch),
    ...(patch.expiry !== undefined && patchedTerm(member, patch.expiry, settings, now)),
  };
}

function patchedData({ data }: Member, patch: MemberPatch): Member['data'] {
  if (patch.data === undefined) return data;
  const result = applyMergePatch(patch.data === null ? {} : data, patch.data ?? {});
  const { length } = JSON.stringify(result);
  if (length <= maxDataLength) return result;
  throw new ValidationFailed(
    `data must be at most ${maxDataLength} characters when serialised, and would be ${length}`,
  );
}

function patchedTerm(member: Member, expiry: string | null, settings: MembershipSettings, now: Date): Partial<Member> {
  const expiresAt = expiry === null ? null : new Date(expiry);
  if (expiresAt?.getTime() === member.expiresAt?.getTime()) return {};
  const status = statusAt(member, now);
  if (status === 'expired' || status === 'cancelled') {
    const wayOut = status === 'expired' ? `; renew it: POST /v1/memberships/members/${member.id}/renew` : '';
    throw new InvalidTransition(`Member ${member.id} is ${status}, so its expiry cannot be changed${wayOut}.`);
  }
  return newTerm({ status, expiresAt }, settings, now);
}
