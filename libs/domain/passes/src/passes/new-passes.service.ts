import { Injectable } from '@nestjs/common';
import { Clock, randomId } from '@passwright/core';
import { Database, SharedTransactions } from '@passwright/database';
import { ImagesService, type PreparedImage } from '@passwright/images';
import { type Template, type TemplateAddress, TemplateArchived, TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { newPass } from '../content/pass-changes.js';
import { contentProblems, type PassContent, requestedContent, requireValid } from '../content/pass-content.js';
import type { PassRequest } from '../content/pass.dto.js';
import type { Pass } from '../content/pass.entity.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { referenceName } from '../content/pass-relations.js';
import { RelatedPassesRepository } from '../wallets/related-passes.repository.js';
import { TemplateCache } from './template-cache.js';
import { PlannerStatistics } from './planner-statistics.js';
import { PassesRepository } from './passes.repository.js';
import { PassWriter } from './pass-writer.service.js';

/** A pass that a caller requests. */
export interface RequestedPass {
  readonly request: Pick<PassRequest, 'id'>;
  readonly content: PassContent;
  /** The template revision against which the content was already checked; undefined if it was not checked. */
  readonly revision?: number;
}

type AddressedRequest = RequestedPass & TemplateAddress;

/** The result of inserting requested passes in one statement. Omits requested passes that the template rejects. */
export interface InsertedPasses<Requested> {
  readonly inserted: ReadonlyMap<Requested, IssuedPass>;
  /** Passes that were not inserted, because their id or code is taken. */
  readonly taken: ReadonlyMap<Requested, Pass>;
}

/** Issues new passes, one at a time or several in one statement. */
@Injectable()
export class NewPassesService {
  private readonly simultaneous: SharedTransactions<AddressedRequest, IssuedPass>;
  private readonly templatesRead = new TemplateCache();
  private readonly statistics: PlannerStatistics;

  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly related: RelatedPassesRepository,
    private readonly templates: TemplatesService,
    private readonly images: ImagesService,
    private readonly writer: PassWriter,
    private readonly clock: Clock,
  ) {
    this.statistics = new PlannerStatistics(database);
    this.simultaneous = new SharedTransactions(
      database,
      (requested) => this.insert(requested, requested, null),
      (tx, requested) => this.insertSimultaneous(tx, requested),
      (requested) => this.insertInOneTrip(requested),
    );
  }

  /**
   * Issues a pass. Simultaneous requests for passes of one template share a transaction, unless they have images.
   * @throws the same errors as `PassesService.create`
   */
  async issue(accountId: string, templateId: string, request: PassRequest): Promise<IssuedPass> {
    const address = { accountId, templateId };
    const content = requestedContent(request);
    if (content.thumbnailUrl === null) {
      return this.simultaneous.run(`${accountId} ${templateId}`, { request, content, ...address });
    }
    const thumbnail = await this.prepare(await this.templates.get(accountId, templateId), content);
    return this.insert(address, { request, content }, thumbnail);
  }

  /**
   * Inserts at most 1000 passes without images in one statement, in any order. Inserts only one of several passes with
   * the same id or code.
   * @throws LimitExceeded, TemplateNotFound, TemplateArchived
   */
  async insertAll<Requested extends RequestedPass>(
    tx: EntityManager,
    { accountId, templateId }: TemplateAddress,
    requested: readonly Requested[],
  ): Promise<InsertedPasses<Requested>> {
    const locked = await this.lockForIssue(tx, { accountId, templateId });
    const known = await this.related.existing(tx, accountId, requested.flatMap(linksOf));
    const isAllowed = (one: Requested) =>
      (one.revision === locked.revision || contentProblems(locked, one.content).length === 0) &&
      linksOf(one).every((link) => known.has(referenceName(link)));
    const allowed = requested.filter(isAllowed).sort(byIdOrCode);
    const passes = this.newPasses(locked, allowed);
    for (const [index, { content }] of allowed.entries()) {
      const linked = content.linkedPasses?.flatMap((link) => known.get(referenceName(link)) ?? []);
      Object.assign(passes[index] as Pass, { linkedPasses: linked ?? null });
    }
    const serials = await this.repository.insertNew(tx, passes);
    this.statistics.add(serials.size);
    const [inserted, taken] = [new Map<Requested, IssuedPass>(), new Map<Requested, Pass>()];
    for (const [index, one] of allowed.entries()) {
      const pass = passes[index] as Pass;
      if (serials.has(pass.serialNumber)) inserted.set(one, issuedNow(pass, locked));
      else taken.set(one, pass);
    }
    return { inserted, taken };
  }

  /** Checks the content and prepares the thumbnail. Call it before the transaction, because it may take seconds. */
  async prepare(template: Template, content: PassContent, known?: Pass): Promise<PreparedImage | null> {
    if (template.archivedAt) throw new TemplateArchived(template.id);
    requireValid(template, content);
    return this.thumbnail(template, content.thumbnailUrl, known);
  }

  async thumbnail(template: Template, url: string | null, known?: Pass): Promise<PreparedImage | null> {
    if (url === null) return null;
    const previous = known?.thumbnail ?? undefined;
    return this.images.prepare(template.accountId, url, 'thumbnail', template.type, 'thumbnail', previous);
  }

  /**
   * Takes a shared lock on the template until the pass is inserted, and checks the content against the locked template.
   */
  async lockTemplate(tx: EntityManager, address: TemplateAddress, content: PassContent): Promise<Template> {
    const template = await this.lockForIssue(tx, address);
    requireValid(template, content);
    return template;
  }

  private async lockForIssue(tx: EntityManager, { accountId, templateId }: TemplateAddress): Promise<Template> {
    const template = await this.templates.lockForIssue(tx, accountId, templateId);
    // Do not cache a template from an outer transaction, which may have changed the template and may roll back.
    if (!this.database.isInTransaction) this.templatesRead.add(template);
    return template;
  }

  private newPasses(template: Template, requested: readonly RequestedPass[]): Pass[] {
    const now = this.clock.now();
    return requested.map(({ request, content }) => newPass(template, request.id ?? randomId(), content, null, now));
  }

  private insert(
    address: TemplateAddress,
    { request, content }: RequestedPass,
    thumbnail: PreparedImage | null,
  ): Promise<IssuedPass> {
    return this.repository.insertAtEnd(async (tx) => {
      const locked = await this.lockTemplate(tx, address, content);
      const pass = newPass(locked, request.id ?? randomId(), content, thumbnail, this.clock.now());
      pass.linkedPasses = await this.writer.linksOf(tx, pass, content.linkedPasses, null);
      return issuedNow(pass, locked);
    });
  }

  /**
   * Inserts the passes of simultaneous requests. Returns null for each request that fails; `SharedTransactions` then
   * runs this request alone, so that it gets its own error.
   */
  private async insertSimultaneous(
    tx: EntityManager,
    requested: readonly AddressedRequest[],
  ): Promise<(IssuedPass | null)[]> {
    const [first] = requested;
    if (!first) return [];
    const { inserted } = await this.insertAll(tx, first, requested);
    return requested.map((one) => inserted.get(one) ?? null);
  }

  /**
   * Issues passes in one round trip. Skips passes that the template rejects, and passes whose id or code is taken.
   * Returns null if a pass has links, or if this process does not know the current version of the template; then no
   * pass is issued.
   */
  private async insertInOneTrip(requested: readonly AddressedRequest[]): Promise<(IssuedPass | null)[] | null> {
    if (!this.database.implicit.isPossible || requested.some((one) => linksOf(one).length > 0)) return null;
    const template = requested[0] && this.templatesRead.get(requested[0]);
    if (!template) return null;
    const allowed = requested.filter(({ content }) => contentProblems(template, content).length === 0).sort(byIdOrCode);
    const passes = this.newPasses(template, allowed);
    const serials = new Set(await this.repository.insertIfUnchanged(template, passes));
    if (serials.size === 0) return null;
    this.statistics.add(serials.size);
    const issued = new Map<RequestedPass, IssuedPass>();
    for (const [index, one] of allowed.entries()) {
      const pass = passes[index] as Pass;
      if (serials.has(pass.serialNumber)) issued.set(one, issuedNow(pass, template));
    }
    return requested.map((one) => issued.get(one) ?? null);
  }
}

const linksOf = ({ content }: RequestedPass) => content.linkedPasses ?? [];

function issuedNow(pass: Pass, { updatedAt }: Template): IssuedPass {
  return { pass, archivedAt: null, templateUpdatedAt: updatedAt };
}

/** Orders passes by id, or by code if they have no id, so that simultaneous statements do not deadlock. */
function byIdOrCode(a: RequestedPass, b: RequestedPass): number {
  const [first, second] = [a, b].map(({ content, request }) => request.id ?? content.code ?? '') as [string, string];
  return first === second ? 0 : first < second ? -1 : 1;
}
