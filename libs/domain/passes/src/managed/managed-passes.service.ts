import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { randomId, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import { Template } from '@passwright/templates';
import { frontChanges, type RenderField } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { changedFront } from '../listeners/changed-front.js';
import type { ChangedFront, TimelyMessage } from '../listeners/pass.listener.js';
import { makeChanges, newPass } from '../content/pass-changes.js';
import { contentProblems, type PassContent, requestedContent } from '../content/pass-content.js';
import type { PassAddress } from '../addresses/pass-address.js';
import type { Pass } from '../content/pass.entity.js';
import { concernsWallets, PassWriter } from '../passes/pass-writer.service.js';
import { PlannerStatistics } from '../passes/planner-statistics.js';
import { PassesRepository } from '../passes/passes.repository.js';
import { ManagedPassesRepository } from './managed-passes.repository.js';

/** The content of a managed pass. */
export interface ManagedContent {
  readonly primaryValue: string | null;
  readonly expiresAt: Date | null;
  readonly fields: readonly RenderField[];
  readonly voided: boolean;
}

/**
 * Issues, changes and deletes managed passes in the transaction of their owner, such as a member. Callers first lock
 * the template (`shareTemplate`, `TemplatesService.lockForIssue`) and then the owner. These methods then lock the pass.
 */
@Injectable()
export class ManagedPassesService {
  private readonly statistics: PlannerStatistics;

  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly managed: ManagedPassesRepository,
    private readonly writer: PassWriter,
    private readonly notifier: PassChangeNotifier,
  ) {
    this.statistics = new PlannerStatistics(database);
  }

  /**
   * Issues at most 1000 passes from a template that the caller has locked. Call it only once per transaction, because
   * the usage counters would make transactions wait for each other.
   * @param contents the content of each pass, with its id if the id is already known
   * @throws ValidationFailed, PassExists, LimitExceeded
   */
  async issue(
    tx: EntityManager,
    template: Template,
    contents: readonly (ManagedContent & { readonly id?: string })[],
    now: Date,
  ): Promise<Pass[]> {
    const passes = contents.map(({ id = randomId(), ...own }) => {
      const content: PassContent = { ...requestedContent({}), ...own, fields: [...own.fields] };
      const problems = contentProblems(template, content);
      if (problems.length > 0) throw new ValidationFailed(problems);
      return Object.assign(newPass(template, id, content, null, now), { managedBy: 'member' as const });
    });
    await this.repository.insertMany(tx, passes);
    this.statistics.add(passes.length);
    return passes;
  }

  /**
   * Updates a pass. If a holder can see the change, notifies the wallets that hold the pass.
   * @param contentOf returns the new content for the current pass and its template.
   * @param messageOf returns a message for holders at Google, which replaces the message about the changed fields
   * @returns true if the pass changed; null if it does not exist
   */
  async change(
    tx: EntityManager,
    address: PassAddress,
    contentOf: (pass: Pass, template: Template) => ManagedContent,
    now: Date,
    messageOf?: (pass: Pass, template: Template) => TimelyMessage | null,
  ): Promise<boolean | null> {
    const issued = await this.repository.lock(tx, address);
    const [template] = await this.templatesOf(tx, issued ? [address] : []);
    if (!issued || !template) return null;
    const { pass } = issued;
    const before = { ...pass };
    const what = await this.writer.update(tx, issued, columnsOf(contentOf(pass, template), pass, now), now);
    const message = messageOf?.(pass, template) ?? null;
    if (concernsWallets(what)) await this.notify(tx, [{ before, pass, template }], message !== null, now);
    if (message) await this.notifier.messageSent(tx, pass, message);
    return pass.version !== before.version;
  }

  /**
   * Works like `change` for several passes of one account, with one statement for all passes, so that usage counters
   * change only once. Skips passes that do not exist.
   * @param changes at most 1000 changes, in the order in which the passes are locked
   */
  async changeMany(
    tx: EntityManager,
    changes: readonly {
      readonly address: PassAddress;
      readonly contentOf: (pass: Pass, template: Template) => ManagedContent;
    }[],
    now: Date,
  ): Promise<void> {
    const addresses = changes.map(({ address }) => address);
    const issued = await this.managed.lock(tx, addresses);
    const templates = new Map((await this.templatesOf(tx, addresses)).map((template) => [template.id, template]));
    const changed: Pass[] = [];
    const seen: ChangedManagedPass[] = [];
    for (const { address, contentOf } of changes) {
      const found = issued.get(`${address.templateId}/${address.passId}`);
      const template = templates.get(address.templateId);
      if (!found || !template) continue;
      const { pass, templateUpdatedAt } = found;
      const before = { ...pass };
      const what = makeChanges(pass, columnsOf(contentOf(pass, template), pass, now), templateUpdatedAt, now);
      if (what !== 'nothing') changed.push(pass);
      if (concernsWallets(what)) seen.push({ before, pass, template });
    }
    await this.managed.update(tx, changed);
    await this.notify(tx, seen, false, now);
  }

  /** Deletes a pass in the same way as a request. Does nothing if the pass does not exist. */
  async delete(tx: EntityManager, address: PassAddress, now: Date): Promise<void> {
    const issued = await this.repository.lock(tx, address);
    if (issued) await this.writer.delete(tx, issued, now);
  }

  /**
   * Notifies the wallets of visible changes. @param isQuiet true if holders should get no message about changed fields
   */
  private async notify(
    tx: EntityManager,
    changed: readonly ChangedManagedPass[],
    isQuiet: boolean,
    now: Date,
  ): Promise<void> {
    const fronts = changed.map(({ before, pass, template }): ChangedFront => {
      const { accountId, serialNumber } = pass;
      const isSilent = isQuiet || pass.voidedAt !== null || sameValues(before, pass);
      if (isSilent) return { accountId, serialNumber, title: '', changes: [] };
      return changedFront(template, pass, frontChanges({ template, pass: before }, { template, pass }, now));
    });
    const hasChanges = fronts.some(({ changes }) => changes.length > 0);
    await (hasChanges ? this.notifier.frontsChanged(tx, fronts) : this.notifier.passesChanged(tx, fronts));
  }

  /** Returns the templates of passes of one account. The caller has locked these templates. */
  private async templatesOf(tx: EntityManager, addresses: readonly PassAddress[]): Promise<Template[]> {
    const templates: Template[] = [];
    const [first] = addresses;
    for (const id of new Set(addresses.map(({ templateId }) => templateId))) {
      const template = first && (await this.database.findByKey(Template, { accountId: first.accountId, id }, tx));
      if (template) templates.push(template);
    }
    return templates;
  }
}

/** A managed pass before and after a change. */
interface ChangedManagedPass {
  readonly before: Pass;
  readonly pass: Pass;
  readonly template: Template;
}

function sameValues(before: Pass, pass: Pass): boolean {
  return before.primaryValue === pass.primaryValue && isDeepStrictEqual(before.fields, pass.fields);
}

/** Returns the columns for the content. A pass that is already void keeps its `voidedAt`. */
function columnsOf({ voided, fields, ...columns }: ManagedContent, { voidedAt }: Pass, now: Date): Partial<Pass> {
  return { ...columns, fields: [...fields], voidedAt: voided ? (voidedAt ?? now) : null };
}
