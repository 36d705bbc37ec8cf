import { Injectable } from '@nestjs/common';
import { decodeCursor, isDateTime, type Page, type Position, toPage, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import type { SelectQueryBuilder } from 'typeorm';
import type { MembersQuery } from './member-list.dto.js';
import { statusAt } from './member-state.js';
import { queryFor, wordsOf } from './member-words.js';
import type { MemberNow } from './member.dto.js';
import { Member } from './member.entity.js';
import { maxMemberId } from './members.repository.js';

/** The ids of newest members come first, those filtered by their expiry in its order. */
type Order = 'id' | 'expires';

/** The members of an account, page by page. */
@Injectable()
export class MemberListsRepository {
  constructor(private readonly database: Database) {}

  /** @param now statuses are those of then. @throws ValidationFailed */
  async list(accountId: string, query: MembersQuery, now: Date): Promise<Page<MemberNow>> {
    const order = orderOf(query);
    const isFrequent = await this.isFrequent(accountId, query);
    const rows = await this.select(accountId, query, now, isFrequent).getMany();
    return toPage(
      rows,
      query.limit,
      (member) => positionOf(member, order),
      (member) => ({ member, status: statusAt(member, now) }),
    );
  }

  /**
   * Whether `q` finds so many that a page of them is sooner met on the way through all members than found by itself. Of one
   * address that makes no difference.
   */
  async isFrequent(accountId: string, { q, email }: MembersQuery): Promise<boolean> {
    if (q === undefined || email !== undefined) return false;
    const rows = await this.database.reads.query<unknown[]>(frequentSql, [accountId, searchFor(accountId, q)]);
    return rows.length > 0;
  }

  /** One row more than the page holds, which tells whether there is another. @param isFrequent of `q` */
  select(accountId: string, query: MembersQuery, now: Date, isFrequent: boolean): SelectQueryBuilder<Member> {
    const limit = query.limit + 1;
    const select = this.database.reads
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId', { accountId })
      .limit(limit);
    filter(select, query);
    if (query.q !== undefined) search(select, searchFor(accountId, query.q), isFrequent || query.email !== undefined);
    if (orderOf(query) === 'expires') inOrderOfExpiry(select, query.cursor);
    else select.orderBy('member.id', 'DESC').andWhere('member.id <= :last', { last: lastOf(query.cursor) });
    // Of all members of an account, the expired ones are found in two indexes: as they are stored, and by their time.
    if (query.status === 'expired' && !query.email && !query.q && orderOf(query) === 'id') {
      return select.andWhere(`member.id IN (${expiredSql})`, { now, limit });
    }
    if (query.status) select.andWhere(...hasStatus(query.status, now, orderOf(query)));
    return select;
  }
}

/** A search that finds more is a frequent one. */
const frequent = 5000;

/*
 * With OFFSET 0 all is looked for by what is rare of it. Postgres would guess that there are many, and go through the
 * members in the list's order until it has enough: through all of them, where there are few.
 */
const expiredSql = `
  SELECT id FROM (
    (SELECT id FROM member WHERE account_id = :accountId AND status = 'expired' AND id <= :last
     ORDER BY id DESC LIMIT :limit)
    UNION ALL
    (SELECT id FROM (
       SELECT id FROM member WHERE account_id = :accountId AND status IN ('active', 'suspended') AND expires_at <= :now
         AND id <= :last OFFSET 0
     ) AS unnoted ORDER BY id DESC LIMIT :limit)
  ) AS expired`;
const foundSql = `
  SELECT id FROM (
    SELECT id FROM member WHERE account_id = :accountId AND search @@ CAST(:words AS tsquery) OFFSET 0
  ) AS found`;

/** Reads as many as that at most: the CTE is read only as far as it is needed. */
export const frequentSql = `
  WITH found AS MATERIALIZED (SELECT FROM member WHERE account_id = $1 AND search @@ CAST($2 AS tsquery))
  SELECT FROM found LIMIT 1 OFFSET ${frequent}`;

function orderOf({ expiresBefore, expiresAfter }: MembersQuery): Order {
  return expiresBefore || expiresAfter ? 'expires' : 'id';
}

function filter(select: SelectQueryBuilder<Member>, { email, expiresBefore, expiresAfter }: MembersQuery): void {
  if (email) select.andWhere('lower(member.email) = :email', { email: email.toLowerCase() });
  if (expiresBefore) select.andWhere('member.expiresAt < :before', { before: new Date(expiresBefore) });
  if (expiresAfter) select.andWhere('member.expiresAt >= :from', { from: new Date(expiresAfter) });
}

/** @throws ValidationFailed */
function searchFor(accountId: string, q: string): string {
  const words = wordsOf(q);
  if (words.length === 0) throw new ValidationFailed('q must hold a letter or digit to search for');
  return queryFor(accountId, words);
}

/** @param onTheWay of the members that are met in the list's order, else they are found first */
function search(select: SelectQueryBuilder<Member>, words: string, onTheWay: boolean): void {
  // In that form no index serves it, and Postgres takes it for frequent, as it is.
  const passed = 'CASE WHEN member.search @@ CAST(:words AS tsquery) THEN true END';
  const condition = onTheWay ? passed : `member.id = ANY(ARRAY(${foundSql}))`;
  select.andWhere(condition, { words });
}

/** As `statusAt` has it. */
function hasStatus(status: Member['status'], now: Date, order: Order): [string, object] {
  const lapses = "member.status IN ('active', 'suspended')";
  if (status === 'expired') return [`(member.status = 'expired' OR (${lapses} AND member.expiresAt <= :now))`, { now }];
  if (status !== 'active' && status !== 'suspended') return ['member.status = :status', { status }];
  // In the order of expiry there are none without.
  const goesOn =
    order === 'expires' ? 'member.expiresAt > :now' : '(member.expiresAt IS NULL OR member.expiresAt > :now)';
  return [`member.status = :status AND ${goesOn}`, { status, now }];
}

function inOrderOfExpiry(select: SelectQueryBuilder<Member>, cursor: string | undefined): void {
  select.orderBy('member.expiresAt', 'ASC').addOrderBy('member.id', 'ASC');
  const position = decodeCursor(cursor, (value) => value === 'expires', isDateTime, isMemberId);
  if (!position) return;
  const [, time = '', id] = position;
  // As a date, not as text: Postgres reads fewer forms of it.
  select.andWhere('(member.expiresAt, member.id) > (:at, :id)', { at: new Date(time), id: Number(id) });
}

/** The greatest id that may be on a page. */
function lastOf(cursor: string | undefined): number {
  const position = decodeCursor(cursor, (value) => value === 'id', isMemberId);
  return position ? Number(position[1]) - 1 : maxMemberId;
}

function isMemberId(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= maxMemberId;
}

function positionOf({ id, expiresAt }: Member, order: Order): Position {
  return order === 'id' ? ['id', String(id)] : ['expires', expiresAt?.toISOString() ?? '', String(id)];
}
