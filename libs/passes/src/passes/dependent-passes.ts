import { Injectable } from '@nestjs/common';
import { randomId, ValidationFailed } from '@passwright/core';
import type { Template } from '@passwright/templates';
import type { RenderField } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { newPass } from './pass-changes.js';
import { contentProblems, type PassContent, requestedContent } from './pass-content.js';
import type { PassAddress } from './pass-links.js';
import type { Pass } from './pass.entity.js';
import { PassWriter } from './pass-writer.js';
import { PassesRepository } from './passes.repository.js';

/** What a pass has that depends on something else. */
export interface DependentContent {
  readonly primaryValue: string;
  readonly expiresAt: Date | null;
  readonly fields: readonly RenderField[];
  readonly voided: boolean;
}

/**
 * Passes that are issued, changed and deleted together with what they depend on, such as a member's: in its transaction.
 * Locks follow an order everywhere: what the pass depends on must be locked after its template (`shareTemplate`,
 * `TemplatesService.lockForIssue`) and before the pass, which these methods lock.
 */
@Injectable()
export class DependentPasses {
  constructor(
    private readonly repository: PassesRepository,
    private readonly writer: PassWriter,
  ) {}

  /**
   * Issues passes from a template that is locked for it, in one statement, as statements that count passes one after the
   * other wait for each other's counters: once in a transaction, at most 1000.
   * @param contents each with the id of its pass, if it is to have one that is known already
   * @throws ValidationFailed, PassExists, LimitExceeded
   */
  async issue(
    tx: EntityManager,
    template: Template,
    contents: readonly (DependentContent & { readonly id?: string })[],
    now: Date,
  ): Promise<Pass[]> {
    const passes = contents.map(({ id = randomId(), ...own }) => {
      const content: PassContent = { ...requestedContent({}), ...own, fields: [...own.fields] };
      const problems = contentProblems(template, content);
      if (problems.length > 0) throw new ValidationFailed(problems);
      return newPass(template, id, content, null, now);
    });
    await this.repository.insertMany(tx, passes);
    return passes;
  }

  /**
   * Brings a pass in line, and sees to it that the wallets that hold it learn what they see of that.
   * @param contentOf what it is to have, given what it is. @returns whether anything changed; null when there is no such pass
   */
  async change(
    tx: EntityManager,
    address: PassAddress,
    contentOf: (pass: Pass) => DependentContent,
    now: Date,
  ): Promise<boolean | null> {
    const issued = await this.repository.lock(tx, address);
    if (!issued) return null;
    const { pass } = issued;
    const { voided, fields, ...columns } = contentOf(pass);
    const voidedAt = voided ? (pass.voidedAt ?? now) : null;
    const { version } = pass;
    await this.writer.write(tx, issued, { ...columns, fields: [...fields], voidedAt }, now);
    return pass.version !== version;
  }

  /** As a pass is deleted by itself; harmless when there is none. */
  async delete(tx: EntityManager, address: PassAddress, now: Date): Promise<void> {
    const issued = await this.repository.lock(tx, address);
    if (issued) await this.writer.delete(tx, issued, now);
  }
}
