import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  callerChosenId,
  Clock,
  type IfMatch,
  type Page,
  PreconditionFailed,
  requireMatch,
  ValidationFailed,
} from '@passwright/core';
import { Database } from '@passwright/database';
import type { PreparedImage } from '@passwright/images';
import { noNotices, replacedTranslations, type Template, TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { ChangedPass } from './changed-pass.dto.js';
import { contentColumns, newPass } from '../content/pass-changes.js';
import {
  currentContent,
  type PassContent,
  patchedContent,
  requestedContent,
  requireValid,
  withStoredValues,
} from '../content/pass-content.js';
import type { PassAddress } from '../addresses/pass-address.js';
import type { PassListQuery } from '../lists/pass-list.dto.js';
import { PassListsRepository } from '../lists/pass-lists.repository.js';
import type { JsonRecord } from '../content/merge-patch.js';
import { type PassPatch, type PassRequest } from '../content/pass.dto.js';
import { passTag } from '../content/pass-with-links.dto.js';
import type { Pass } from '../content/pass.entity.js';
import { PassExists, PassManagedByMember, PassNotFound } from './passes.errors.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { NewPassesService } from './new-passes.service.js';
import { PassesRepository } from './passes.repository.js';
import { PassAuditLog } from './pass-audit-log.service.js';
import { PassWriter } from './pass-writer.service.js';

/**
 * Issues passes from templates, and reads, changes and deletes them. `PassTransitionsService` voids and redeems them.
 */
@Injectable()
export class PassesService {
  constructor(
    private readonly database: Database,
    private readonly repository: PassesRepository,
    private readonly lists: PassListsRepository,
    private readonly templates: TemplatesService,
    private readonly newPasses: NewPassesService,
    private readonly writer: PassWriter,
    private readonly auditLog: PassAuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws TemplateNotFound, TemplateArchived, ValidationFailed, ImageInvalid, PassExists */
  create(accountId: string, templateId: string, request: PassRequest = {}): Promise<IssuedPass> {
    return this.newPasses.issue(accountId, templateId, request);
  }

  /**
   * Creates the pass with this id, or replaces the whole existing pass: clears absent properties. Keeps the serial
   * number and other properties that a request cannot set, such as the redemption. Keeps the code if the request has
   * none.
   * @param ifMatch the version to replace; 'new' if the pass must not exist yet
   * @throws the same errors as `create` and `requireMatch`
   */
  async upsert(address: PassAddress, request: PassRequest = {}, ifMatch: IfMatch | 'new' = null): Promise<ChangedPass> {
    const { accountId, templateId, passId } = address;
    requirePassId(passId, request.id);
    const template = await this.templates.get(accountId, templateId);
    const known = await this.repository.find(address);
    const content = requestedContent(request);
    const thumbnail = await this.newPasses.prepare(template, content, known?.pass);
    return this.database.transaction(async (tx) => {
      const locked = await this.newPasses.lockTemplate(tx, address, content);
      const now = this.clock.now();
      const pass = newPass(locked, passId, content, thumbnail, now);
      const existing = await this.repository.lock(tx, address);
      pass.linkedPasses = await this.writer.linksOf(tx, pass, content.linkedPasses, existing?.pass ?? null);
      const issued = existing ?? (await this.insertOrLock(tx, pass, locked, ifMatch));
      if (issued.pass === pass) return { ...issued, notices: noNotices };
      if (ifMatch === 'new') throw new PreconditionFailed('pass', null);
      requireMatch(ifMatch, 'pass', passTag(issued));
      if (issued.pass.managedBy) throw new PassManagedByMember(passId);
      const kept = { ...content, code: content.code ?? issued.pass.code };
      const { linkedPasses } = pass;
      const changes = { linkedPasses, ...contentColumns(locked, kept, thumbnail, issued.pass.voidedAt, now) };
      return this.change(tx, locked, issued, changes, now);
    });
  }

  /** @throws PassNotFound */
  async get(address: PassAddress): Promise<IssuedPass> {
    return found(await this.database.onReplica(() => this.repository.find(address)), address);
  }

  /** @throws TemplateNotFound, ValidationFailed for a cursor of another list */
  async list(accountId: string, templateId: string, query: PassListQuery): Promise<Page<IssuedPass>> {
    const template = await this.templates.get(accountId, templateId);
    const { archivedAt, updatedAt: templateUpdatedAt } = template;
    return this.lists.list(template, query, (pass) => ({ pass, archivedAt, templateUpdatedAt }));
  }

  /**
   * Applies a JSON merge patch to a pass, even if its template is archived. The result must follow the rules of
   * `create`, except for problems that a later template change has caused.
   * @throws PassNotFound, ValidationFailed, ImageInvalid, PassExists, PreconditionFailed
   */
  async patch(address: PassAddress, patch: PassPatch = {}, ifMatch: IfMatch = null): Promise<ChangedPass> {
    const { passId } = address;
    const thumbnail = typeof patch.thumbnail === 'string' ? await this.patchedThumbnail(address, patch, ifMatch) : null;
    return this.database.transaction(async (tx) => {
      const { issued, template } = found(await this.repository.lockWithTemplate(tx, address), address);
      const { pass } = issued;
      requirePassId(passId, patch.id);
      const content = patchedContent(pass, patch);
      requireValid(template, content, pass);
      requireMatch(ifMatch, 'pass', passTag(issued));
      if (pass.managedBy && changesManagedContent(content, currentContent(pass))) throw new PassManagedByMember(passId);
      const linkedPasses = await this.writer.linksOf(tx, pass, content.linkedPasses, pass);
      const now = this.clock.now();
      const image = patch.thumbnail === undefined ? pass.thumbnail : thumbnail;
      const changes = { linkedPasses, ...contentColumns(template, content, image, pass.voidedAt, now) };
      return this.change(tx, template, issued, changes, now);
    });
  }

  /**
   * Replaces the internal metadata, at most 5000 characters as JSON. Holders and wallets see no change.
   * @throws PassNotFound, PreconditionFailed
   */
  async replaceMetadata(address: PassAddress, metadata: JsonRecord, ifMatch: IfMatch = null): Promise<IssuedPass> {
    return this.database.transaction(async (tx) => {
      const issued = await this.lock(tx, address, ifMatch);
      return this.writer.write(tx, issued, { metadata }, this.clock.now());
    });
  }

  /**
   * Deletes a pass with its content. Keeps only a tombstone, so that phones show the pass as void. @throws
   * PassNotFound, PreconditionFailed, PassManagedByMember
   */
  async delete(address: PassAddress, ifMatch: IfMatch = null): Promise<void> {
    await this.database.transaction(async (tx) => {
      const issued = await this.lock(tx, address, ifMatch);
      if (issued.pass.managedBy) throw new PassManagedByMember(address.passId);
      await this.writer.delete(tx, issued, this.clock.now());
      await this.auditLog.record(tx, address, 'deleted');
    });
  }

  /** Prepares the new image of a patch. Checks the patch first, so that a rejected request fetches no image. */
  private async patchedThumbnail(
    address: PassAddress,
    patch: PassPatch,
    ifMatch: IfMatch,
  ): Promise<PreparedImage | null> {
    const { accountId, templateId, passId } = address;
    const known = found(await this.repository.find(address), address);
    requirePassId(passId, patch.id);
    const template = await this.templates.get(accountId, templateId);
    const content = patchedContent(known.pass, patch);
    requireValid(template, content, known.pass);
    requireMatch(ifMatch, 'pass', passTag(known));
    return this.newPasses.thumbnail(template, content.thumbnailUrl, known.pass);
  }

  private async change(
    tx: EntityManager,
    template: Template,
    issued: IssuedPass,
    changes: Partial<Pass>,
    now: Date,
  ): Promise<ChangedPass> {
    const { voidedAt, fields: stored } = issued.pass;
    const translations = replacedTranslations(issued.pass.translations, changes.translations ?? null);
    const fields = withStoredValues(changes.fields ?? stored, stored);
    const notices = await this.writer.writeAndTell(tx, template, issued, { ...changes, fields, translations }, now);
    await this.auditLog.recordVoiding(tx, voidedAt, issued.pass);
    return { notices, ...issued };
  }

  private async lock(tx: EntityManager, address: PassAddress, ifMatch: IfMatch): Promise<IssuedPass> {
    const issued = found(await this.repository.lock(tx, address), address);
    requireMatch(ifMatch, 'pass', passTag(issued));
    return issued;
  }

  /**
   * Inserts a pass. If another request has just issued a pass with the same id, locks and returns that pass instead.
   */
  private async insertOrLock(
    tx: EntityManager,
    pass: Pass,
    template: Template,
    ifMatch: IfMatch | 'new',
  ): Promise<IssuedPass> {
    if (ifMatch && ifMatch !== 'new') throw new PreconditionFailed('pass', 'absent');
    const { accountId, templateId, id: passId, code } = pass;
    for (;;) {
      if ((await this.repository.insertNew(tx, [pass])).size === 1) {
        return { pass, archivedAt: null, templateUpdatedAt: template.updatedAt };
      }
      const issued = await this.repository.lock(tx, { accountId, templateId, passId });
      if (issued) return issued;
      const { codes } = await this.repository.taken(tx, accountId, templateId, [{ code }]);
      if (codes.size > 0) throw new PassExists('code', templateId, code);
      // Another request has just deleted the pass that had the id or the code, so both may be free now.
    }
  }
}

function found<Found>(one: Found | null, { templateId, passId }: PassAddress): Found {
  if (!one) throw new PassNotFound(templateId, passId);
  return one;
}

function changesManagedContent(content: PassContent, current: PassContent): boolean {
  const of = ({ voided, validFrom, expiresAt, primaryValue, translations }: PassContent) => [
    voided,
    validFrom,
    expiresAt,
    primaryValue,
    Object.values(translations ?? {}).flatMap((texts) => texts.primaryValue ?? []),
  ];
  return !isDeepStrictEqual(of(content), of(current));
}

function requirePassId(passId: string, id: string | null | undefined): void {
  if (!callerChosenId.test(passId) || passId === 'batch') {
    throw new ValidationFailed(
      'The pass id in the path must be 1 to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit, and not "batch".',
    );
  }
  if (id !== undefined && id !== null && id !== passId) {
    throw new ValidationFailed(`id must be "${passId}" as in the path, or be left out`);
  }
}
