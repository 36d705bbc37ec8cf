import { Injectable } from '@nestjs/common';
import { randomId, ValidationFailed } from '@passwright/core';
import type { Template } from '@passwright/templates';
import type { RenderField } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import type { TimelyMessage } from '../listeners/pass.listener.js';
import { makeChanges, newPass } from './pass-changes.js';
import { contentProblems, type PassContent, requestedContent } from './pass-content.js';
import type { PassAddress } from './pass-links.js';
import type { Pass } from './pass.entity.js';
import { PassWriter } from './pass-writer.js';
import { PassesRepository } from './passes.repository.js';

/** What a pass has that depends on something else. */
export interface DependentContent {
  readonly primaryValue: string | null;
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
    private readonly notifier: PassChangeNotifier,
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
      return Object.assign(newPass(template, id, content, null, now), { follows: 'member' as const });
    });
    await this.repository.insertMany(tx, passes);
    return passes;
  }

  /**
   * Brings a pass in line, and sees to it that the wallets that hold it learn what they see of that.
   * @param contentOf what it is to have, given what it is. @param message what holders are told besides at Google, whose
   * notifications do not follow from changes. @returns whether anything changed; null when there is no such pass
   */
  async change(
    tx: EntityManager,
    address: PassAddress,
    contentOf: (pass: Pass) => DependentContent,
    now: Date,
    message?: TimelyMessage | null,
  ): Promise<boolean | null> {
    const issued = await this.repository.lock(tx, address);
    if (!issued) return null;
    const { pass } = issued;
    const { version } = pass;
    await this.writer.write(tx, issued, columnsOf(contentOf(pass), pass, now), now);
    if (message) await this.notifier.messageSent(tx, pass, message);
    return pass.version !== version;
  }

  /**
   * As `change`, of passes of one account: each statement is one for all of them, so that what counts passes is changed
   * once. Those that there are not are left out.
   * @param changes in the order in which the passes are locked, at most 1000
   */
  async changeMany(
    tx: EntityManager,
    changes: readonly { readonly address: PassAddress; readonly contentOf: (pass: Pass) => DependentContent }[],
    now: Date,
  ): Promise<void> {
    const addresses = changes.map(({ address }) => address);
    const issued = await this.repository.lockMany(tx, addresses);
    const changed: Pass[] = [];
    const seen: Pass[] = [];
    for (const { address, contentOf } of changes) {
      const found = issued.get(`${address.templateId}/${address.passId}`);
      if (!found) continue;
      const { pass, templateUpdatedAt } = found;
      const what = makeChanges(pass, columnsOf(contentOf(pass), pass, now), templateUpdatedAt, now);
      if (what !== 'nothing') changed.push(pass);
      if (what === 'content') seen.push(pass);
    }
    await this.repository.updateContents(tx, changed);
    await this.notifier.passesChanged(tx, seen);
  }

  /** As a pass is deleted by itself; harmless when there is none. */
  async delete(tx: EntityManager, address: PassAddress, now: Date): Promise<void> {
    const issued = await this.repository.lock(tx, address);
    if (issued) await this.writer.delete(tx, issued, now);
  }
}

/** A pass that is void already stays so since then. */
function columnsOf({ voided, fields, ...columns }: DependentContent, { voidedAt }: Pass, now: Date): Partial<Pass> {
  return { ...columns, fields: [...fields], voidedAt: voided ? (voidedAt ?? now) : null };
}
