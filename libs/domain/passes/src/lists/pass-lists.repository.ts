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

/** The number of places of a list that a scan reads before a rare filter is searched. Each place costs a look-up. */
const SCANNED = 500;

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
    return readPage(query, {
      read: async (part) => this.encryption.openAll(await this.read(template, { ...query, ...part })),
      position: (pass) => positionOf(pass, order),
      toResponse,
    });
  }

  /**
   * Reads the passes of a page. If a filter may match few passes, first scans only the next places of the list. If they
   * do not fill the page, searches the filter if it is rare, or scans the whole list otherwise.
   */
  private async read(template: Template, query: PassListQuery): Promise<Pass[]> {
    const scan = this.select(template, query);
    const candidates = rareCandidates(template, query);
    const end = candidates.length > 0 && (await this.endOfScan(template, query));
    if (!end) return scan.getMany();
    const [time, id] = placeOf(query);
    const rows = await scan.andWhere(`(${time}, ${id}) <= (:endAt, :endId)`, end).getMany();
    if (rows.length === query.limit) return rows;
    return this.select(template, query, await this.findRare(template, query, candidates)).getMany();
  }

  /** Finds the last place that a scan reads; null if the list has no more places. Ignores the filters. */
  private async endOfScan(
    { accountId, id: templateId }: Template,
    query: PassListQuery,
  ): Promise<{ endAt: Date; endId: string } | null> {
    const isUpdated = orderOf(query) === 'updated';
    const [time, id] = placeOf(query);
    const select = this.database.reads
      .createQueryBuilder()
      .select(time, 'endAt')
      .addSelect(id, 'endId')
      .from<Pass | PassUpdateOrder>(isUpdated ? PassUpdateOrder : Pass, isUpdated ? 'place' : 'pass')
      .where(`${isUpdated ? 'place' : 'pass'}.accountId = :accountId`, { accountId })
      .andWhere(`${isUpdated ? 'place' : 'pass'}.templateId = :templateId`, { templateId })
      .offset(SCANNED - 1)
      .limit(1);
    if (!isUpdated) select.andWhere('pass.expiresAt < :before', { before: new Date(query.expiresBefore ?? '') });
    inOrder(select, query, [time, id]);
    return (await select.getRawOne<{ endAt: Date; endId: string }>()) ?? null;
  }

  /** Returns the first of the filters that few passes match; null if many passes match each. */
  private async findRare(
    { accountId, id: templateId }: Template,
    query: PassListQuery,
    candidates: readonly RareFilter[],
  ): Promise<RareFilter | null> {
    const parameters = { accountId, templateId, expiresBefore: query.expiresBefore && new Date(query.expiresBefore) };
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
    const isOneByOne = isInUpdateOrder(query, rare);
    const select = this.database.reads
      .createQueryBuilder(Pass, 'pass')
      .where('pass.accountId = :accountId AND pass.templateId = :templateId', {
        accountId: template.accountId,
        templateId: template.id,
      })
      .limit(query.limit);
    if (isOneByOne) select.innerJoin(PassUpdateOrder, 'place', placeOfPass);
    if (rare) select.andWhere(`pass.id = ANY(ARRAY(${idsSql(rare)}))`);
    filter(select, template, query, rare);
    inOrder(select, query, placeOf(query, rare));
    return select;
  }
}

/** Returns the filters that few passes may match, if the list is in the order of another filter. */
function rareCandidates(template: Template, query: PassListQuery): RareFilter[] {
  const order = orderOf(query);
  if (query.code || order === 'created') return [];
  return [
    ...(query.voided && !template.archivedAt ? [rareFilters.voided] : []),
    ...(query.expiresBefore && order === 'updated' ? [rareFilters.expiry] : []),
  ];
}

/** Returns true if the table of the update order gives the order of the list. */
function isInUpdateOrder(query: PassListQuery, rare: RareFilter | null): boolean {
  return orderOf(query) === 'updated' && !query.code && !rare;
}

/** Returns the time and the id by which a list is ordered. */
function placeOf(query: PassListQuery, rare: RareFilter | null = null): readonly [string, string] {
  if (isInUpdateOrder(query, rare)) return ['place.updatedAt', 'place.passId'];
  return [`pass.${keysets[orderOf(query)].column}`, 'pass.id'];
}

/** Orders a list, and begins it at the time in the filter or after the cursor. */
function inOrder<Row extends object>(
  select: SelectQueryBuilder<Row>,
  query: PassListQuery,
  [time, id]: readonly [string, string],
): void {
  if (query.updatedSince) select.andWhere(`${time} >= :updatedSince`, { updatedSince: new Date(query.updatedSince) });
  // At most one pass has the code, so sorting is unnecessary.
  if (query.code) return;
  const order = orderOf(query);
  const { direction } = keysets[order];
  select.orderBy(time, direction).addOrderBy(id, direction);
  const position = decodeCursor(
    query.cursor,
    (value) => value === order,
    isDateTime,
    (passId) => callerChosenId.test(passId),
  );
  if (!position) return;
  const [, at = '', passId] = position;
  const after = direction === 'ASC' ? '>' : '<';
  // Pass a date, because Postgres reads fewer text formats than JavaScript.
  select.andWhere(`(${time}, ${id}) ${after} (:at, :passId)`, { at: new Date(at), passId });
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
