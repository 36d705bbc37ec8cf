import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import { Clock, type Page, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JsonRecord } from '@passwright/passes';
import { TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { MembershipsNotSetUp } from '../settings/settings.errors.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { MemberListsRepository } from './member-lists.repository.js';
import type { MembersQuery } from './member-list.dto.js';
import { MemberPassesService } from './member-passes.service.js';
import { newTerm, statusAt } from './member-state.js';
import type { MemberNow, NewMemberRequest } from './member.dto.js';
import { Member } from './member.entity.js';
import { MemberNotFound } from './members.errors.js';
import { MembersRepository } from './members.repository.js';

/** The properties of a member to create. */
export interface NewMember {
  readonly email: string;
  readonly name: string;
  readonly status: 'pending' | 'active';
  readonly expiresAt: Date | null;
  readonly data: JsonRecord;
}

/** Creates, reads and lists members. `MemberChangesService` changes them. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly repository: MembersRepository,
    private readonly lists: MemberListsRepository,
    private readonly settings: SettingsRepository,
    private readonly templates: TemplatesService,
    private readonly passes: MemberPassesService,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed, MembershipsNotSetUp, TemplateArchived, MemberExists, LimitExceeded */
  async create(accountId: string, request: NewMemberRequest): Promise<MemberNow> {
    const requested = requestedMember(request, this.clock.now());
    return this.database.transaction(async (tx) => {
      const [member] = await this.createMany(tx, accountId, [requested]);
      if (!member) throw new Error('One member was to be made');
      const target = { kind: 'member', id: String(member.id) };
      await this.auditLog.record(tx, { accountId, action: 'member.created', target });
      return { member, status: member.status };
    });
  }

  /**
   * Creates members in one statement, and their passes in another. Call it once per transaction, and end the
   * transaction soon, because other creations in the account wait for it. Accepts at most 1000 members with distinct
   * addresses. Writes no audit event.
   * @returns the members in the order of `requested`, with consecutive ids
   * @throws MembershipsNotSetUp, TemplateArchived, MemberExists if a member has one of the addresses, LimitExceeded
   */
  async createMany(tx: EntityManager, accountId: string, requested: readonly NewMember[]): Promise<Member[]> {
    const settings = await this.settings.lockForShare(tx, accountId);
    if (!settings) throw new MembershipsNotSetUp();
    const template = await this.templates.lockForIssue(tx, accountId, settings.templateId);
    const now = this.clock.now();
    const holders = requested.map((one) => ({ ...one, ...newTerm(one, settings, now) }));
    const passes = await this.passes.issue(tx, template, settings, holders, now);
    const firstId = await this.repository.nextIds(tx, accountId, requested.length);
    const members = holders.map((holder, index) =>
      Object.assign(new Member(), holder, {
        accountId,
        id: firstId + index,
        templateId: template.id,
        passId: passes[index]?.id,
        version: 1,
        createdAt: now,
        updatedAt: now,
      }),
    );
    await this.repository.insert(tx, members);
    return members;
  }

  /** @throws MemberNotFound */
  async get(accountId: string, id: number): Promise<MemberNow> {
    const member = await this.repository.find(accountId, id);
    if (!member) throw new MemberNotFound(id);
    return { member, status: statusAt(member, this.clock.now()) };
  }

  /** Lists members. @throws ValidationFailed for a cursor of another list, and for an empty search */
  list(accountId: string, query: MembersQuery): Promise<Page<MemberNow>> {
    return this.lists.list(accountId, query, this.clock.now());
  }
}

/** Converts a creation request. @throws ValidationFailed if the membership would already have ended */
export function requestedMember({ email, name, expiry, status, data }: NewMemberRequest, now: Date): NewMember {
  const expiresAt = expiry ? new Date(expiry) : null;
  if (expiresAt && expiresAt <= now) throw new ValidationFailed('expiry must be later than now, or null for no end');
  return { email, name, status: status ?? 'pending', expiresAt, data: data ?? {} };
}
