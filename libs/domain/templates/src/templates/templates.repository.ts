import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Listeners, type Position } from '@passwright/core';
import { Database, isForeignKeyViolation } from '@passwright/database';
import { type FrontChange, type RenderType, translatedLanguages } from '@passwright/wallet-renderers';
import { IsNull, type EntityManager } from 'typeorm';
import type { SentNotice } from '../notices/change-notices.js';
import { Template } from './template.entity.js';
import { TemplateListener } from './template.listener.js';
import { shareTemplate, takeTemplate } from './template-lock.js';
import { TemplateInUse, TemplateTypeInUse } from './templates.errors.js';
import { TemplateVersionsRepository } from '../versions/template-versions.repository.js';

/** The columns of foreign keys to a template. Membership settings refer to `key`, passes to `keyWithType`. */
const key = ['account_id', 'id'];
const keyWithType = [...key, 'type'];

export interface TemplateFilter {
  readonly type?: RenderType;
  readonly archived?: boolean;
  /** Part of the id or the title, in any case. */
  readonly text?: string;
}

/** All queries on the template table. */
@Injectable()
export class TemplatesRepository {
  private readonly listeners: Listeners<TemplateListener>;

  constructor(
    private readonly database: Database,
    private readonly versions: TemplateVersionsRepository,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, TemplateListener);
  }

  find(accountId: string, id: string, tx?: EntityManager): Promise<Template | null> {
    return this.database.findByKey(Template, { accountId, id }, tx);
  }

  /**
   * Locks the template for a change, its creation or its deletion. Until `tx` ends, no other transaction can change it,
   * or issue or change its passes. Every change of a template must call this first.
   */
  async lockForUpdate(tx: EntityManager, accountId: string, id: string): Promise<Template | null> {
    await takeTemplate(tx, accountId, id);
    return this.database.findByKey(Template, { accountId, id }, tx);
  }

  /** Takes a shared lock on the template until `tx` ends; any number of transactions may hold it. */
  async lockForShare(tx: EntityManager, accountId: string, id: string): Promise<Template | null> {
    await shareTemplate(tx, accountId, id);
    return this.database.findByKey(Template, { accountId, id }, tx);
  }

  countUnarchived(accountId: string, reads: EntityManager = this.database.reads): Promise<number> {
    return reads.countBy(Template, { accountId, archivedAt: IsNull() });
  }

  /** Inserts a template. The caller must hold the lock of the template, and must have checked that its id is free. */
  async insert(tx: EntityManager, template: Template): Promise<void> {
    await tx.insert(Template, template);
  }

  /** Updates a locked template. @throws TemplateTypeInUse */
  async update(tx: EntityManager, template: Template): Promise<void> {
    const { accountId, id, ...columns } = template;
    try {
      await tx.update(Template, { accountId, id }, columns);
    } catch (error) {
      if (!isForeignKeyViolation(error, 'pass_template_fkey', keyWithType)) throw error;
      throw new TemplateTypeInUse(id);
    }
  }

  /** Stores the front of a locked template before it changes. Messages to holders name the differences. */
  keepFront(tx: EntityManager, template: Template, now: Date): Promise<void> {
    return this.versions.add(tx, template, now);
  }

  /** Lists template ids in the order of their bytes. */
  async idsAfter(accountId: string, after: string, limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ id: string }[]>(
      'SELECT id FROM template WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3',
      [accountId, after, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns when a pass of the locked template last changed; null if it has none. */
  async lastPassUpdate(tx: EntityManager, accountId: string, id: string): Promise<Date | null> {
    let last: Date | null = null;
    for (const listener of this.listeners.all) {
      const updatedAt = await listener.lastPassUpdate(tx, accountId, id);
      if (updatedAt && (!last || updatedAt > last)) last = updatedAt;
    }
    return last;
  }

  /** Notifies the listeners if the type of a template has changed. @throws InvalidTransition from a listener */
  async typeChanged(tx: EntityManager, before: Template, after: Template): Promise<void> {
    if (before.type === after.type) return;
    for (const listener of this.listeners.all) await listener.typeChanged(tx, after);
  }

  /** Notifies the listeners if the languages of a template have changed. */
  async languagesChanged(tx: EntityManager, before: Template, after: Template): Promise<void> {
    if (isDeepStrictEqual(languagesOf(before), languagesOf(after))) return;
    for (const listener of this.listeners.all) await listener.languagesChanged(tx, after);
  }

  /**
   * Collects the lines about changed front fields of a locked template, and where holders see them. Returns null if no
   * pass changes.
   */
  async frontChanged(
    tx: EntityManager,
    template: Template,
    changes: readonly FrontChange[],
  ): Promise<SentNotice[] | null> {
    if (changes.length === 0 || !(await this.hasPasses(template, tx))) return null;
    const notices: SentNotice[] = [];
    for (const listener of this.listeners.all) notices.push(...(await listener.frontChanged(tx, template, changes)));
    return notices;
  }

  async hasPasses({ accountId, id }: Template, tx?: EntityManager): Promise<boolean> {
    for (const listener of this.listeners.all) if (await listener.hasPasses(accountId, id, tx)) return true;
    return false;
  }

  /** Deletes a locked template. @throws TemplateInUse */
  async delete(tx: EntityManager, { accountId, id }: Template): Promise<void> {
    try {
      await tx.delete(Template, { accountId, id });
    } catch (error) {
      if (isForeignKeyViolation(error, 'pass_template_fkey', keyWithType)) throw new TemplateInUse(id, 'passes');
      if (isForeignKeyViolation(error, 'membership_settings_template_fkey', key)) {
        throw new TemplateInUse(id, 'memberships');
      }
      throw error;
    }
    for (const listener of this.listeners.all) await listener.templateDeleted(tx, accountId, id);
  }

  /** Lists templates after `position` (creation time, id), newest first. */
  list(accountId: string, filter: TemplateFilter, position: Position | null, limit: number): Promise<Template[]> {
    const query = this.database.reads
      .createQueryBuilder(Template, 'template')
      .where('template.accountId = :accountId', { accountId })
      .orderBy('template.createdAt', 'DESC')
      .addOrderBy('template.id', 'DESC')
      .limit(limit);
    if (position) {
      const [time = '', id] = position;
      // Pass a Date rather than text, because Postgres accepts fewer formats than JavaScript.
      const createdAt = new Date(time);
      query.andWhere('(template.createdAt, template.id) < (:createdAt, :id)', { createdAt, id });
    }
    if (filter.type) query.andWhere('template.type = :type', { type: filter.type });
    if (filter.archived !== undefined) {
      query.andWhere(`template.archivedAt IS ${filter.archived ? 'NOT NULL' : 'NULL'}`);
    }
    if (filter.text) {
      const pattern = `%${filter.text.replace(/[\\%_]/g, '\\$&')}%`;
      query.andWhere('(template.id ILIKE :pattern OR template.title ILIKE :pattern)', { pattern });
    }
    return query.getMany();
  }
}

function languagesOf(template: Template): (string | null)[] {
  return [template.language, ...translatedLanguages(template)];
}
