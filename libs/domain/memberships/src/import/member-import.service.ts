import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import { AppError, bodyValidation, Clock, LimitExceeded } from '@passwright/core';
import { Database, isDatabaseUnavailable, isStatementTimeout } from '@passwright/database';
import { passLinks } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import { addressOf } from '../members/member-passes.service.js';
import { NewMemberRequest } from '../members/member.dto.js';
import type { Member } from '../members/member.entity.js';
import { MemberExists } from '../members/members.errors.js';
import { MembersRepository } from '../members/members.repository.js';
import { MembersService, type NewMember, requestedMember } from '../members/members.service.js';
import { MembershipsOptions } from '../memberships.options.js';
import { MembershipsNotSetUp } from '../settings/settings.errors.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import type { ImportedMember, MemberImportQuery } from './member-import.dto.js';

type Outcome = ImportedMember | Error;

/** Imports members in transactions of up to fifty lines, and reports errors line by line. */
@Injectable()
export class MemberImportService {
  constructor(
    private readonly database: Database,
    private readonly members: MembersService,
    private readonly repository: MembersRepository,
    private readonly settings: SettingsRepository,
    private readonly auditLog: AuditLog,
    private readonly options: MembershipsOptions,
    private readonly clock: Clock,
  ) {}

  /** Checks that the account has membership settings. @throws MembershipsNotSetUp */
  async requireSettings(accountId: string): Promise<void> {
    if (!(await this.settings.find(accountId))) throw new MembershipsNotSetUp();
  }

  /** Converts each line of a request to a new member or to an error. */
  async read(lines: readonly object[]): Promise<(NewMember | AppError)[]> {
    const read: (NewMember | AppError)[] = [];
    for (const line of lines) read.push(await this.readLine(line));
    return read;
  }

  /**
   * Imports lines. @returns one outcome per line, in order. @throws an error that affects all lines; then no line is
   * imported
   */
  async import(accountId: string, requested: readonly NewMember[], query: MemberImportQuery): Promise<Outcome[]> {
    return this.make(accountId, requested, query).catch((error: unknown) => {
      // On these errors, import the lines one by one, because some of them may succeed alone.
      const mayFit = error instanceof LimitExceeded || error instanceof MemberExists || isStatementTimeout(error);
      if (!mayFit) throw error;
      return this.makeEach(accountId, requested, query);
    });
  }

  /** Creates each member in a separate transaction. Stops at an error that all remaining lines would get too. */
  private async makeEach(
    accountId: string,
    requested: readonly NewMember[],
    query: MemberImportQuery,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const one of requested) {
      const outcome = await this.makeOne(accountId, one, query);
      outcomes.push(outcome);
      const rest = requested.slice(outcomes.length);
      if (isDatabaseUnavailable(outcome)) return [...outcomes, ...rest.map(() => outcome)];
      if (outcome instanceof LimitExceeded) {
        return [...outcomes, ...(await this.existingOr(outcome, accountId, rest, query))];
      }
    }
    return outcomes;
  }

  /**
   * Returns the outcomes of lines after the limit was reached: the existing member for a line whose member exists, and
   * the error for every other line.
   */
  private async existingOr(
    full: LimitExceeded,
    accountId: string,
    requested: readonly NewMember[],
    query: MemberImportQuery,
  ): Promise<Outcome[]> {
    try {
      const emails = requested.map(({ email }) => email);
      const known = await this.database.transaction((tx) => this.repository.findByEmails(tx, accountId, emails));
      return requested.map((one) => {
        const member = known.get(keyOf(one));
        return member ? this.existingOutcome(member, query) : full;
      });
    } catch (error) {
      return requested.map(() => error as Error);
    }
  }

  private async readLine(line: object): Promise<NewMember | AppError> {
    try {
      const metatype = NewMemberRequest;
      const request = (await bodyValidation.transform(line, { type: 'body', metatype })) as NewMemberRequest;
      return requestedMember(request, this.clock.now());
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  private async makeOne(accountId: string, one: NewMember, query: MemberImportQuery): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        const [outcome] = await this.make(accountId, [one], query);
        if (!outcome) throw new Error('One line must have one result');
        return outcome;
      } catch (error) {
        // Another request created the member first, so look it up.
        if (!(error instanceof MemberExists) || attempt > 1) return error as Error;
      }
    }
  }

  private make(accountId: string, requested: readonly NewMember[], query: MemberImportQuery): Promise<Outcome[]> {
    return this.database.transaction(async (tx) => {
      const known = await this.repository.findByEmails(
        tx,
        accountId,
        requested.map(({ email }) => email),
      );
      const fresh = new Map(
        [...requested].reverse().flatMap((one) => (known.has(keyOf(one)) ? [] : [[keyOf(one), one] as const])),
      );
      // Create only the first of several lines with the same address. Keep the order of the file for the ids.
      const inOrder = requested.filter((one) => fresh.get(keyOf(one)) === one);
      const made = new Map((await this.makeMany(tx, accountId, inOrder)).map((member) => [keyOf(member), member]));
      return requested.map((one): Outcome => {
        const member = made.get(keyOf(one));
        if (member && fresh.get(keyOf(one)) === one) return this.toImported(member);
        const earlier = known.get(keyOf(one)) ?? member;
        return earlier ? this.existingOutcome(earlier, query) : new MemberExists();
      });
    });
  }

  private async makeMany(tx: EntityManager, accountId: string, requested: readonly NewMember[]): Promise<Member[]> {
    if (requested.length === 0) return [];
    const members = await this.members.createMany(tx, accountId, requested);
    const after = { first: members[0]?.id, last: members.at(-1)?.id };
    await this.auditLog.record(tx, { accountId, action: 'members.imported', target: { kind: 'members' }, after });
    return members;
  }

  private existingOutcome(member: Member, { existing }: MemberImportQuery): Outcome {
    return existing === 'skip' ? { ...this.toImported(member), existing: true } : new MemberExists();
  }

  private toImported(member: Member): ImportedMember {
    const { id, templateId, passId } = member;
    return { id, templateId, passId, links: passLinks(this.options.baseUrl, addressOf(member)) };
  }
}

function keyOf({ email }: { readonly email: string }): string {
  return email.toLowerCase();
}
