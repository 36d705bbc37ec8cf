import { Injectable } from '@nestjs/common';
import { callerChosenId, decodeCursor, isDateTime, type Page, type Position, readPage } from '@passwright/core';
import { Database } from '@passwright/database';
import type { Template } from '@passwright/templates';
import type { SelectQueryBuilder } from 'typeorm';
import type { PassListQuery } from './pass-list.dto.js';
import { PassEncryptionService } from '../content/pass-encryption.service.js';
import { Pass } from '../content/pass.entity.js';
import { PassUpdateOrder } from './pass-update-order.entity.js';

type Order = 'created' | 'updated' | 'expires';

interface Keyset {
  readonly column: 'createdAt' | 'updatedAt' | 'expiresAt';
  /** The columns of the sort order, as the query names them. */
  readonly order: readonly [time: string, id: string];
  readonly direction: 'ASC' | 'DESC';
}

/** Each order has its own index. */
const keysets: Record<Order, Keyset> = {
  created: { column: 'createdAt', order: ['pass.createdAt', 'pass.id'], direction: 'DESC' },
  updated: { column: 'updatedAt', order: ['place.updatedAt', 'place.passId'], direction: 'ASC' },
  expires: { column: 'expiresAt', order: ['pass.expiresAt', 'pass.id'], direction: 'ASC' },
};

const placeOfPass = `place.accountId = pass.accountId AND place.templateId = pass.templateId AND place.passId = pass.id`;

/** Lists the passes of a template page by page: newest first, or in the order of the time in the filter. */
@Injectable()
export class PassListsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: PassEncryptionService,
  ) {}

  /** @throws ValidationFailed for a cursor of another list */
  async list<T>(template: Template, query: PassListQuery, toResponse: (pass: Pass) => T): Promise<Page<T>> {
    // An archived template has no valid passes.
    if (template.archivedAt && query.voided === false) return { data: [], nextCursor: null };
    const order = orderOf(query);
    return readPage(query, {
      read: async (part) => this.encryption.openAll(await this.select(template, { ...query, ...part }).getMany()),
      position: (pass) => positionOf(pass, order),
      toResponse,
    });
  }

  select(template: Template, query: PassListQuery): SelectQueryBuilder<Pass> {
    const order = orderOf(query);
    const {
      order: [time, id],
      direction,
    } = keysets[order];
    const select = this.database.reads
      .createQueryBuilder(Pass, 'pass')
      .where('pass.accountId = :accountId AND pass.templateId = :templateId', {
        accountId: template.accountId,
        templateId: template.id,
      })
      .limit(query.limit);
    if (order === 'updated') select.innerJoin(PassUpdateOrder, 'place', placeOfPass);
    filter(select, template, query);
    // At most one pass has the code, so sorting is unnecessary.
    if (query.code) return select;
    select.orderBy(time, direction).addOrderBy(id, direction);
    const position = decodeCursor(
      query.cursor,
      (value) => value === order,
      isDateTime,
      (passId) => callerChosenId.test(passId),
    );
    if (position) {
      const [, at = '', passId] = position;
      const after = direction === 'ASC' ? '>' : '<';
      // Pass a date, because Postgres reads fewer text formats than JavaScript.
      select.andWhere(`(${time}, ${id}) ${after} (:at, :passId)`, { at: new Date(at), passId });
    }
    return select;
  }
}

function orderOf({ updatedSince, expiresBefore }: PassListQuery): Order {
  return updatedSince ? 'updated' : expiresBefore ? 'expires' : 'created';
}

function filter(select: SelectQueryBuilder<Pass>, template: Template, query: PassListQuery): void {
  const { code, expiresBefore, updatedSince, voided } = query;
  if (code) select.andWhere('pass.code = :code', { code });
  if (updatedSince) select.andWhere('place.updatedAt >= :updatedSince', { updatedSince: new Date(updatedSince) });
  if (expiresBefore) select.andWhere('pass.expiresAt < :expiresBefore', { expiresBefore: new Date(expiresBefore) });
  if (voided !== undefined && !template.archivedAt) {
    select.andWhere(voided ? 'pass.voidedAt IS NOT NULL' : 'pass.voidedAt IS NULL');
  }
}

function positionOf(pass: Pass, order: Order): Position {
  const at = pass[keysets[order].column];
  return [order, at?.toISOString() ?? '', pass.id];
}
