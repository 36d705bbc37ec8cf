import { Injectable } from '@nestjs/common';
import { type AccountKey, PersonalData, recordHasTokensSql, recordsWithTokensSql } from '@passwright/accounts';
import { decodeCursor, isDateTime, type Page, type Position, toPage, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import type { SelectQueryBuilder } from 'typeorm';
import type { MembersQuery } from './member-list.dto.js';
import { statusAt } from './member-state.js';
import { MemberEncryptionService } from './member-encryption.service.js';
import { queryFor, queryForTokens, wordsOf } from './member-search.js';
import type { MemberNow } from './member.dto.js';
import { Member } from './member.entity.js';
import { maxMemberId } from './members.repository.js';

/** The order of a list: newest members first, or by expiry if the list is filtered by expiry. */
type Order = 'id' | 'expires';

/** Lists the members of an account, page by page. */
@Injectable()
export class MemberListsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MemberEncryptionService,
    private readonly keys: PersonalData,
  ) {}

  /** @param now the time at which members with an earlier expiry count as expired. @throws ValidationFailed */
  async list(accountId: string, query: MembersQuery, now: Date): Promise<Page<MemberNow>> {
    const order = orderOf(query);
    const key = query.q === undefined && query.email === undefined ? null : await this.keys.find(accountId);
    const rows = await this.encryption.openAll(await this.read(accountId, query, now, key));
    return toPage(
      rows,
      query.limit,
      (member) => positionOf(member, order),
      (member) => ({ member, status: statusAt(member, now) }),
    );
  }

  /**
   * Reads the members of a page and one more. For a frequent word, first scans the list in order. If only members
   * further down the list have the word, searches instead.
   */
  private async read(accountId: string, query: MembersQuery, now: Date, key: AccountKey | null): Promise<Member[]> {
    const search = () => this.select(accountId, query, now, false, key).getMany();
    if (!(await this.isFrequent(accountId, query, key))) return search();
    const scan = this.select(accountId, query, now, true, key);
    const end = await this.endOfScan(accountId, query, now);
    if (!end) return scan.getMany();
    if (orderOf(query) === 'id') scan.andWhere('member.id >= :endId', { endId: end.id });
    else scan.andWhere('(member.expiresAt, member.id) <= (:endAt, :endId)', { endAt: end.expiresAt, endId: end.id });
    const rows = await scan.getMany();
    return rows.length > query.limit ? rows : search();
  }

  /** Finds the member that is so far down the list that a scan should end there. Ignores `q`. */
  private endOfScan(accountId: string, query: MembersQuery, now: Date): Promise<Member | null> {
    const select = this.inOrder(accountId, query, null);
    if (query.status) select.andWhere(...hasStatus(query.status, now, orderOf(query)));
    return select
      .select(['member.id', 'member.expiresAt'])
      .offset(frequent - 1)
      .limit(1)
      .getOne();
  }

  /**
   * Returns true if `q` matches so many members that scanning the list in order may be faster than searching. Always
   * returns false for a list filtered by an e-mail address, because the address alone finds the member.
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
   * Selects one row more than a page contains. The extra row shows that there is another page.
   * @param isFrequent true if `q` is frequent. @param key the key of an account with encrypted members
   */
  select(
    accountId: string,
    query: MembersQuery,
    now: Date,
    isFrequent: boolean,
    key: AccountKey | null = null,
  ): SelectQueryBuilder<Member> {
    const limit = query.limit + 1;
    const select = this.inOrder(accountId, query, key).limit(limit);
    if (query.q !== undefined) {
      search(select, searchFor(accountId, query.q, key), isFrequent || query.email !== undefined);
    }
    // Several scans together find the expired members of an account: one by stored status, the others by expiry.
    if (query.status === 'expired' && !query.email && !query.q) {
      const expired = orderOf(query) === 'id' ? expiredSql : expiredByExpirySql(query);
      return select.andWhere(`member.id IN (${expired})`, { now, limit });
    }
    if (query.status) select.andWhere(...hasStatus(query.status, now, orderOf(query)));
    return select;
  }

  /** Selects the members of an account in list order, filtered by everything but `q` and the status. */
  private inOrder(accountId: string, query: MembersQuery, key: AccountKey | null): SelectQueryBuilder<Member> {
    const select = this.database.reads
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId', { accountId });
    filter(select, query, key);
    if (orderOf(query) === 'expires') inOrderOfExpiry(select, query.cursor);
    else select.orderBy('member.id', 'DESC').andWhere('member.id <= :last', { last: lastOf(query.cursor) });
    return select;
  }
}

/** The number of matches above which a search is frequent, and of members that a scan for a frequent word reads. */
const frequent = 5000;

/*
 * Finds expired members. OFFSET 0 makes Postgres search by the rare condition first, instead of scanning all members in
 * list order.
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

/** Builds SQL that finds the expired members of a page in the order of their expiry. One index has each status in order. */
function expiredByExpirySql({ expiresBefore, expiresAfter, cursor }: MembersQuery): string {
  const conditions = [
    expiresBefore && 'expires_at < :before',
    expiresAfter && 'expires_at >= :from',
    cursor && '(expires_at, id) > (:at, :id)',
  ].filter(Boolean);
  const branch = (which: string) => `
    (SELECT id FROM member WHERE account_id = :accountId AND ${[which, ...conditions].join(' AND ')}
     ORDER BY expires_at, id LIMIT :limit)`;
  const unnoted = ['active', 'suspended'].map((status) => branch(`status = '${status}' AND expires_at <= :now`));
  return [branch(`status = 'expired'`), ...unnoted].join(' UNION ALL ');
}
const foundSql = `
  SELECT id FROM (
    SELECT id FROM member WHERE account_id = :accountId AND search @@ CAST(:words AS tsquery) OFFSET 0
  ) AS found`;
/**
 * SQL that finds encrypted members by their search tokens. The id of a member's key is `member:` followed by the
 * member's id.
 */
const foundByTokensSql = `
  SELECT CAST(substr(id, 8) AS integer) FROM (${recordsWithTokensSql(':accountId', ':tokens')} OFFSET 0) AS found`;

/**
 * Builds SQL that returns a row if there are more than `frequent` matches. Postgres stops reading the CTE after that
 * many.
 */
const frequentIn = (matches: string) => `
  WITH found AS MATERIALIZED (${matches})
  SELECT FROM found LIMIT 1 OFFSET ${frequent}`;
export const frequentSql = frequentIn('SELECT FROM member WHERE account_id = $1 AND search @@ CAST($2 AS tsquery)');
const frequentTokensSql = frequentIn(recordsWithTokensSql('$1', '$2'));

/**
 * The search terms of `q`: `words` for unencrypted members, `tokens` for encrypted ones. Null if the account has no
 * such members.
 */
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

/** @param onTheWay true to scan the members in list order and filter them; false to search first */
function search(select: SelectQueryBuilder<Member>, { words, tokens }: Search, onTheWay: boolean): void {
  const isThere = (condition: string | null) => condition !== null;
  // Write the condition so that Postgres uses no index and expects many matches.
  const conditions = [words && 'member.search @@ CAST(:words AS tsquery)', tokens && passedTokensSql].filter(isThere);
  const passed = `CASE WHEN ${conditions.join(' OR ')} THEN true END`;
  const found = [words && foundSql, tokens && foundByTokensSql].filter(isThere).join(' UNION ALL ');
  const condition = onTheWay ? passed : `member.id = ANY(ARRAY(${found}))`;
  select.andWhere(condition, { ...(words !== null && { words }), ...(tokens !== null && { tokens }) });
}

const passedTokensSql = `(${recordHasTokensSql('member.account_id', "'member:' || member.id", ':tokens')})`;

/** Builds the condition for a status, equivalent to `statusAt`. */
function hasStatus(status: Member['status'], now: Date, order: Order): [string, object] {
  const lapses = "member.status IN ('active', 'suspended')";
  if (status === 'expired') return [`(member.status = 'expired' OR (${lapses} AND member.expiresAt <= :now))`, { now }];
  if (status !== 'active' && status !== 'suspended') return ['member.status = :status', { status }];
  // A list ordered by expiry contains only members with an expiry.
  const goesOn =
    order === 'expires' ? 'member.expiresAt > :now' : '(member.expiresAt IS NULL OR member.expiresAt > :now)';
  return [`member.status = :status AND ${goesOn}`, { status, now }];
}

function inOrderOfExpiry(select: SelectQueryBuilder<Member>, cursor: string | undefined): void {
  select.orderBy('member.expiresAt', 'ASC').addOrderBy('member.id', 'ASC');
  const position = decodeCursor(cursor, (value) => value === 'expires', isDateTime, isMemberId);
  if (!position) return;
  const [, time = '', id] = position;
  // Pass a Date rather than text, because Postgres accepts fewer formats than JavaScript.
  select.andWhere('(member.expiresAt, member.id) > (:at, :id)', { at: new Date(time), id: Number(id) });
}

/** Returns the greatest id that a page may contain. */
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
