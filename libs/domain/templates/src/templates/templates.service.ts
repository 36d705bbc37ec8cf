import { Injectable } from '@nestjs/common';
import { AuditLog, changesBetween } from '@passwright/accounts';
import { UsageService } from '@passwright/billing';
import {
  callerChosenId,
  Clock,
  decodeCursor,
  type IfMatch,
  isDateTime,
  nextUpdate,
  type Page,
  PreconditionFailed,
  readPage,
  requireMatch,
} from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { frontChanges, type RenderType, samplePass } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { type ChangeNotices, changeNotices } from '../notices/change-notices.js';
import {
  contentOf,
  recordedContent,
  replacedTranslations,
  sameContent,
  type TemplateContent,
} from './template-content.js';
import { TemplateImages } from './template-images.service.js';
import { templateTag, toTemplateResponse, type TemplateResponse } from './template-response.dto.js';
import type { TemplateRequest } from './template.dto.js';
import { Template } from './template.entity.js';
import { TemplateArchived, TemplateNotFound, TemplateTypeInUse } from './templates.errors.js';
import { TemplateChanged } from './templates.jobs.js';
import type { TemplatesQuery } from './templates.query.dto.js';
import { TemplatesRepository } from './templates.repository.js';
import { sameFront } from '../versions/template-front.js';

/** Number of templates in the first query of a list. It is small, because a template may have 700 KB. */
const FIRST_TEMPLATES = 5;

/** A template after an upsert, and the notices for pass holders. `notices` is null if no pass has a new front. */
export interface StoredTemplate {
  readonly template: Template;
  readonly notices: ChangeNotices | null;
}

/** Saves, finds, archives and deletes an account's templates. */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly repository: TemplatesRepository,
    private readonly images: TemplateImages,
    private readonly usage: UsageService,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a template, or replaces all of its content. Unchanged content does not create a new revision. Fetches and
   * resizes images before the transaction.
   * @param ifMatch the version to replace; 'new' if the template must not exist yet
   * @throws TemplateArchived, PreconditionFailed, ImageInvalid, InvalidTransition (a new type despite passes or
   * memberships), LimitExceeded (more templates than the account may have)
   */
  async upsert(
    accountId: string,
    templateId: string,
    request: TemplateRequest,
    ifMatch: IfMatch | 'new',
  ): Promise<Template> {
    return (await this.store(accountId, templateId, request, ifMatch)).template;
  }

  /** Works like `upsert`. @returns the template, and the notices that pass holders see about the change */
  async store(
    accountId: string,
    templateId: string,
    request: TemplateRequest,
    ifMatch: IfMatch | 'new',
  ): Promise<StoredTemplate> {
    const known = await this.repository.find(accountId, templateId);
    requireChangeable(known, templateId, ifMatch);
    // Check this first, because the processing of images may have to wait.
    await (known ? this.requireSameType(known, request.type ?? 'offer') : this.requireRoom(accountId));
    const { images, localisedImages } = await this.images.prepare(accountId, request, known);
    const content = contentOf(request, images, localisedImages);
    return this.database.transaction(async (tx) => {
      // If another request has just created the template, change it.
      const current = await this.repository.lockForUpdate(tx, accountId, templateId);
      requireChangeable(current, templateId, ifMatch);
      if (current) return this.replace(tx, current, content);
      await this.claimRoom(tx, accountId);
      const template = this.newTemplate(accountId, templateId, content);
      await this.repository.insert(tx, template);
      // Update the class, because Google may still have the class of a deleted template with the same id.
      await this.jobs.add(tx, new TemplateChanged({ accountId, templateId }));
      const changes = changesBetween({}, recordedContent(template));
      await this.record(tx, template, 'created', changes && { after: changes.after });
      return { template, notices: null };
    });
  }

  /** Returns null if there is no such template. @param tx reads within this transaction */
  async find(accountId: string, templateId: string, tx?: EntityManager): Promise<Template | null> {
    // Do not query an invalid id, because it may contain characters that the database rejects.
    return isId(templateId) ? this.repository.find(accountId, templateId, tx) : null;
  }

  /** @param tx reads within this transaction. @throws TemplateNotFound */
  async get(accountId: string, templateId: string, tx?: EntityManager): Promise<Template> {
    return found(await this.find(accountId, templateId, tx), templateId);
  }

  /**
   * Returns a template for display, possibly from an outdated replica. Do not issue passes from it. @throws
   * TemplateNotFound
   */
  read(accountId: string, templateId: string): Promise<Template> {
    return this.database.onReplica(() => this.get(accountId, templateId));
  }

  /**
   * Returns a template that is not archived, and locks it against changes until `tx` ends.
   * @throws TemplateNotFound, TemplateArchived
   */
  async lockForIssue(tx: EntityManager, accountId: string, templateId: string): Promise<Template> {
    const row = isId(templateId) ? await this.repository.lockForShare(tx, accountId, templateId) : null;
    const template = found(row, templateId);
    if (template.archivedAt) throw new TemplateArchived(templateId);
    return template;
  }

  /** Lists templates, newest first. @throws ValidationFailed for a cursor of another list */
  list(accountId: string, { type, archived, q, limit, cursor }: TemplatesQuery): Promise<Page<TemplateResponse>> {
    const filter = { type, archived: archived === undefined ? undefined : archived === 'true', text: q };
    return this.database.onReplica(() =>
      readPage(
        { limit, cursor },
        {
          read: (part) =>
            this.repository.list(accountId, filter, decodeCursor(part.cursor, isDateTime, isId), part.limit),
          position: (row) => [row.createdAt.toISOString(), row.id],
          toResponse: toTemplateResponse,
          first: FIRST_TEMPLATES,
        },
      ),
    );
  }

  /**
   * Archives a template, which voids all its passes immediately. A second call changes nothing. @throws
   * TemplateNotFound, PreconditionFailed
   */
  archive(accountId: string, templateId: string, ifMatch: IfMatch = null): Promise<Template> {
    return this.setArchived(accountId, templateId, true, ifMatch);
  }

  /**
   * Un-archives a template. Its passes become valid again, except those voided individually. A second call changes
   * nothing. @throws TemplateNotFound, LimitExceeded, PreconditionFailed
   */
  unarchive(accountId: string, templateId: string, ifMatch: IfMatch = null): Promise<Template> {
    return this.setArchived(accountId, templateId, false, ifMatch);
  }

  /** @throws TemplateNotFound, TemplateInUse while it has passes */
  async delete(accountId: string, templateId: string, ifMatch: IfMatch = null): Promise<void> {
    await this.database.transaction(async (tx) => {
      const row = isId(templateId) ? await this.repository.lockForUpdate(tx, accountId, templateId) : null;
      const template = found(row, templateId);
      requireMatch(ifMatch, `template "${templateId}"`, templateTag(template));
      const { title, type } = template;
      await this.repository.delete(tx, template);
      await this.images.release(tx, template);
      await this.record(tx, { accountId, id: templateId }, 'deleted', { before: { title, type } });
    });
  }

  /**
   * Creates a new version of all passes of a template, for example after a change of the certificate. Does nothing if
   * the template does not exist.
   */
  async renew(accountId: string, templateId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const template = await this.repository.lockForUpdate(tx, accountId, templateId);
      if (template) await this.save(tx, template);
    });
  }

  /** Rejects a change of the type, unless the template has no passes. `update` checks this again under a lock. */
  private async requireSameType(template: Template, type: RenderType): Promise<void> {
    if (template.type !== type && (await this.repository.hasPasses(template))) throw new TemplateTypeInUse(template.id);
  }

  private requireRoom(accountId: string): Promise<void> {
    return this.usage.requireTemplateRoom(accountId, () => this.repository.countUnarchived(accountId));
  }

  private claimRoom(tx: EntityManager, accountId: string): Promise<void> {
    return this.usage.claimTemplate(tx, accountId, () => this.repository.countUnarchived(accountId, tx));
  }

  private async replace(tx: EntityManager, current: Template, content: TemplateContent): Promise<StoredTemplate> {
    if (sameContent(current, content)) return { template: current, notices: null };
    const translations = replacedTranslations(current.translations, content.translations);
    if (!sameFront(current, content)) await this.repository.keepFront(tx, current, this.clock.now());
    const saved = await this.save(tx, { ...current, ...content, translations });
    await this.repository.typeChanged(tx, current, saved);
    await this.images.release(tx, current, saved);
    await this.repository.languagesChanged(tx, current, saved);
    await this.record(tx, current, 'changed', changesBetween(recordedContent(current), recordedContent(saved)));
    return { template: saved, notices: await this.noticesOf(tx, current, saved) };
  }

  /** Returns the notices that holders see on passes without field values of their own. */
  private async noticesOf(tx: EntityManager, before: Template, after: Template): Promise<ChangeNotices | null> {
    const pass = samplePass(after);
    const now = this.clock.now();
    const shown = { template: after, pass };
    const changes = frontChanges({ template: before, pass }, shown, now);
    const sent = await this.repository.frontChanged(tx, after, changes);
    return sent && changeNotices(changes, shown, sent, now);
  }

  private setArchived(accountId: string, templateId: string, archived: boolean, ifMatch: IfMatch): Promise<Template> {
    return this.database.transaction(async (tx) => {
      const row = isId(templateId) ? await this.repository.lockForUpdate(tx, accountId, templateId) : null;
      const current = found(row, templateId);
      requireMatch(ifMatch, `template "${templateId}"`, templateTag(current));
      if ((current.archivedAt !== null) === archived) return current;
      if (!archived) await this.claimRoom(tx, accountId);
      const saved = await this.save(tx, { ...current, archivedAt: archived ? this.clock.now() : null });
      await this.record(tx, current, archived ? 'archived' : 'unarchived');
      return saved;
    });
  }

  /**
   * Saves a changed template. The rows of its passes stay the same. The new `updatedAt` is later than the last change
   * of each of these passes. A job notifies devices.
   */
  private async save(tx: EntityManager, changed: Template): Promise<Template> {
    const { accountId, id: templateId, revision } = changed;
    const passesUpdatedAt = await this.repository.lastPassUpdate(tx, accountId, templateId);
    const updatedAt = nextUpdate(this.clock.now(), changed.updatedAt, passesUpdatedAt ?? changed.updatedAt);
    const template = { ...changed, revision: revision + 1, updatedAt };
    await this.repository.update(tx, template);
    await this.jobs.add(tx, new TemplateChanged({ accountId, templateId }));
    return template;
  }

  private record(
    tx: EntityManager,
    { accountId, id }: Pick<Template, 'accountId' | 'id'>,
    event: 'created' | 'changed' | 'archived' | 'unarchived' | 'deleted',
    changes: { readonly before?: object; readonly after?: object } | null = null,
  ): Promise<void> {
    const target = { kind: 'template', id };
    return this.auditLog.record(tx, { accountId, action: `template.${event}`, target, ...changes });
  }

  private newTemplate(accountId: string, id: string, content: TemplateContent): Template {
    const now = this.clock.now();
    return { accountId, id, ...content, archivedAt: null, revision: 1, createdAt: now, updatedAt: now };
  }
}

function requireChangeable(template: Template | null, templateId: string, ifMatch: IfMatch | 'new'): void {
  if (template?.archivedAt) throw new TemplateArchived(templateId);
  const what = `template "${templateId}"`;
  if (template && ifMatch === 'new') throw new PreconditionFailed(what, null);
  if (template) requireMatch(ifMatch as IfMatch, what, templateTag(template));
  else if (ifMatch && ifMatch !== 'new') throw new PreconditionFailed(what, 'absent');
}

function found(template: Template | null, templateId: string): Template {
  if (!template) throw new TemplateNotFound(templateId);
  return template;
}

function isId(text: string): boolean {
  return callerChosenId.test(text);
}
