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
  readonly direction: 'ASC' | 'DESC';
}

/** Each order has its own index. */
const keysets: Record<Order, Keyset> = {
  created: { column: 'createdAt', direction: 'DESC' },
  updated: { column: 'updatedAt', direction: 'ASC' },
  expires: { column: 'expiresAt', direction: 'ASC' },
};

const placeOfPass = `place.accountId = pass.accountId AND place.templateId = pass.templateId AND place.passId = pass.id`;

/** A filter whose passes an index lists. */
interface RareFilter {
  readonly condition: string;
  readonly order: string;
}

const rareFilters = {
  voided: { condition: 'voided_at IS NOT NULL', order: 'created_at DESC, id DESC' },
  expiry: { condition: 'expires_at < :expiresBefore', order: 'expires_at, id' },
} satisfies Record<string, RareFilter>;

/** The number of passes up to which reading and sorting all of them is faster than a scan that may find none. */
const RARE = 5000;

const idsSql = ({ condition, order }: RareFilter) => `
  SELECT id FROM pass WHERE account_id = :accountId AND template_id = :templateId AND ${condition} ORDER BY ${order}`;

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
    const rare = await this.findRare(template, query);
    return readPage(query, {
      read: async (part) => this.encryption.openAll(await this.select(template, { ...query, ...part }, rare).getMany()),
      position: (pass) => positionOf(pass, order),
      toResponse,
    });
  }

  /** Returns a filter that few passes match, if the list is in the order of another filter; otherwise null. */
  async findRare(template: Template, query: PassListQuery): Promise<RareFilter | null> {
    const { accountId, id: templateId } = template;
    const order = orderOf(query);
    if (query.code || order === 'created') return null;
    const { voided, expiry } = rareFilters;
    const parameters = { accountId, templateId, expiresBefore: query.expiresBefore && new Date(query.expiresBefore) };
    const candidates = [
      ...(query.voided && !template.archivedAt ? [voided] : []),
      ...(query.expiresBefore && order === 'updated' ? [expiry] : []),
    ];
    for (const candidate of candidates) {
      const frequent = this.database.reads
        .createQueryBuilder()
        .select('1')
        .from(`(${idsSql(candidate)} OFFSET ${RARE} LIMIT 1)`, 'further')
        .setParameters(parameters);
      if ((await frequent.getRawMany()).length === 0) return candidate;
    }
    return null;
  }

  /** @param rare a filter whose passes the statement reads and sorts. Without it, it reads the list in order */
  select(template: Template, query: PassListQuery, rare: RareFilter | null = null): SelectQueryBuilder<Pass> {
    const order = orderOf(query);
    const isOneByOne = order === 'updated' && !query.code && !rare;
    const { column, direction } = keysets[order];
    const [time, id] = isOneByOne ? (['place.updatedAt', 'place.passId'] as const) : [`pass.${column}`, 'pass.id'];
    const select = this.database.reads
      .createQueryBuilder(Pass, 'pass')
      .where('pass.accountId = :accountId AND pass.templateId = :templateId', {
        accountId: template.accountId,
        templateId: template.id,
      })
      .limit(query.limit);
    if (isOneByOne) select.innerJoin(PassUpdateOrder, 'place', placeOfPass);
    if (query.updatedSince) select.andWhere(`${time} >= :updatedSince`, { updatedSince: new Date(query.updatedSince) });
    if (rare) select.andWhere(`pass.id = ANY(ARRAY(${idsSql(rare)}))`);
    filter(select, template, query, rare);
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

/** Adds the conditions of the filters. Leaves out the rare one, or Postgres would search its index for each id. */
function filter(
  select: SelectQueryBuilder<Pass>,
  template: Template,
  query: PassListQuery,
  rare: RareFilter | null,
): void {
  const { code, expiresBefore, voided } = query;
  if (code) select.andWhere('pass.code = :code', { code });
  if (expiresBefore) select.setParameter('expiresBefore', new Date(expiresBefore));
  if (expiresBefore && rare !== rareFilters.expiry) select.andWhere('pass.expiresAt < :expiresBefore');
  if (voided !== undefined && !template.archivedAt && rare !== rareFilters.voided) {
    select.andWhere(voided ? 'pass.voidedAt IS NOT NULL' : 'pass.voidedAt IS NULL');
  }
}

function positionOf(pass: Pass, order: Order): Position {
  const at = pass[keysets[order].column];
  return [order, at?.toISOString() ?? '', pass.id];
}
