import { Injectable } from '@nestjs/common';
import { type AccountKey, PersonalData } from '@passwright/accounts';
import { decodeCursor, isDateTime, type Page, type Position, toPage, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import type { SelectQueryBuilder } from 'typeorm';
import type { MembersQuery } from './member-list.dto.js';
import { statusAt } from './member-state.js';
import { MemberEncryptionService } from './member-encryption.service.js';
import { queryFor, queryForTokens, wordsOf } from './member-words.js';
import type { MemberNow } from './member.dto.js';
import { Member } from './member.entity.js';
import { maxMemberId } from './members.repository.js';

/** The ids of newest members come first, those filtered by their expiry in its order. */
type Order = 'id' | 'expires';

/** The members of an account, page by page. */
@Injectable()
export class MemberListsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MemberEncryptionService,
    private readonly keys: PersonalData,
  ) {}

  /** @param now statuses are those of then. @throws ValidationFailed */
  async list(accountId: string, query: MembersQuery, now: Date): Promise<Page<MemberNow>> {
    const order = orderOf(query);
    const key = query.q === undefined && query.email === undefined ? null : await this.keys.find(accountId);
    const isFrequent = await this.isFrequent(accountId, query, key);
    const rows = await this.encryption.openAll(await this.select(accountId, query, now, isFrequent, key).getMany());
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
  async isFrequent(accountId: string, { q, email }: MembersQuery, key: AccountKey | null = null): Promise<boolean> {
    if (q === undefined || email !== undefined) return false;
    const { words, tokens } = searchFor(accountId, q, key);
    const isFound = async (sql: string, search: string) =>
      (await this.database.reads.query<unknown[]>(sql, [accountId, search])).length > 0;
    if (tokens !== null && (await isFound(frequentTokensSql, tokens))) return true;
    return words !== null && isFound(frequentSql, words);
  }

  /**
   * One row more than the page holds, which tells whether there is another.
   * @param isFrequent of `q`. @param key of an account whose members are encrypted
   */
  select(
    accountId: string,
    query: MembersQuery,
    now: Date,
    isFrequent: boolean,
    key: AccountKey | null = null,
  ): SelectQueryBuilder<Member> {
    const limit = query.limit + 1;
    const select = this.database.reads
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId', { accountId })
      .limit(limit);
    filter(select, query, key);
    if (query.q !== undefined) {
      search(select, searchFor(accountId, query.q, key), isFrequent || query.email !== undefined);
    }
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
/** Finds encrypted members by their tokens; the id follows `member:` in the name of the key. */
const foundByTokensSql = `
  SELECT CAST(substr(id, 8) AS integer) FROM (
    SELECT id FROM encryption_key WHERE account_id = :accountId AND search @@ CAST(:tokens AS tsquery) OFFSET 0
  ) AS found`;

/** Reads as many as that at most: the CTE is read only as far as it is needed. */
const frequentIn = (table: string) => `
  WITH found AS MATERIALIZED (SELECT FROM ${table} WHERE account_id = $1 AND search @@ CAST($2 AS tsquery))
  SELECT FROM found LIMIT 1 OFFSET ${frequent}`;
export const frequentSql = frequentIn('member');
export const frequentTokensSql = frequentIn('encryption_key');

/** The search terms of `q`, for members in clear and for encrypted ones; null where an account has no such members. */
interface Search {
  readonly words: string | null;
  readonly tokens: string | null;
}

function orderOf({ expiresBefore, expiresAfter }: MembersQuery): Order {
  return expiresBefore || expiresAfter ? 'expires' : 'id';
}

function filter(
  select: SelectQueryBuilder<Member>,
  { email, expiresBefore, expiresAfter }: MembersQuery,
  key: AccountKey | null,
): void {
  if (email) {
    const emails = key?.formsOf(email) ?? [email.toLowerCase()];
    select.andWhere('lower(member.email) = ANY(:emails::text[])', { emails });
  }
  if (expiresBefore) select.andWhere('member.expiresAt < :before', { before: new Date(expiresBefore) });
  if (expiresAfter) select.andWhere('member.expiresAt >= :from', { from: new Date(expiresAfter) });
}

/** @throws ValidationFailed */
function searchFor(accountId: string, q: string, key: AccountKey | null): Search {
  const words = wordsOf(q);
  if (words.length === 0) throw new ValidationFailed('q must hold a letter or digit to search for');
  return {
    words: key?.isComplete ? null : queryFor(accountId, words),
    tokens: key && queryForTokens(words.map((word) => key.tokenOf(word))),
  };
}

/** @param onTheWay of the members that are met in the list's order, else they are found first */
function search(select: SelectQueryBuilder<Member>, { words, tokens }: Search, onTheWay: boolean): void {
  const isThere = (condition: string | null) => condition !== null;
  // In that form no index serves it, and Postgres takes it for frequent, as it is.
  const conditions = [words && 'member.search @@ CAST(:words AS tsquery)', tokens && passedTokensSql].filter(isThere);
  const passed = `CASE WHEN ${conditions.join(' OR ')} THEN true END`;
  const found = [words && foundSql, tokens && foundByTokensSql].filter(isThere).join(' UNION ALL ');
  const condition = onTheWay ? passed : `member.id = ANY(ARRAY(${found}))`;
  select.andWhere(condition, { ...(words !== null && { words }), ...(tokens !== null && { tokens }) });
}

const passedTokensSql = `(
  SELECT k.search @@ CAST(:tokens AS tsquery) FROM encryption_key k
  WHERE k.account_id = member.account_id AND k.id = 'member:' || member.id)`;

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
