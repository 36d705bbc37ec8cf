import { Injectable } from '@nestjs/common';
import { Clock, decodeCursor, type Page, type PageQuery, toPage } from '@passwright/core';
import { Database } from '@passwright/database';
import type { UsageMonthResponse } from './usage-history.dto.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';

/** Lists the usage of an account by month. */
@Injectable()
export class UsageHistoryService {
  constructor(
    private readonly usage: UsageService,
    private readonly repository: UsageRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists every month since the account was created, the current month first. Includes months without usage.
   * @throws ValidationFailed for a cursor of another list
   */
  list(accountId: string, query: PageQuery): Promise<Page<UsageMonthResponse>> {
    return this.database.onReplica(() => this.page(accountId, query));
  }

  private async page(accountId: string, { limit, cursor }: PageQuery): Promise<Page<UsageMonthResponse>> {
    const [before] = decodeCursor(cursor, isMonth) ?? [];
    const present = this.clock.now().toISOString().slice(0, 7);
    const first = (await this.repository.firstMonth(accountId)) ?? present;
    const months = monthsDown(before ? monthBefore(before) : present, first, limit + 1);
    const { [0]: last, [months.length - 1]: earliest } = months;
    const known = last && earliest ? await this.repository.months(accountId, earliest, last) : [];
    const byMonth = new Map(known.map((month) => [month.month, month]));
    // The current month is not over, so count its active passes now.
    const { activePasses } = months.includes(present) ? await this.usage.now(accountId) : { activePasses: null };
    return toPage(
      months,
      limit,
      (month) => [month],
      (month) => ({
        month,
        passCreations: byMonth.get(month)?.passCreations ?? 0,
        activePasses: month === present ? activePasses : (byMonth.get(month)?.activePasses ?? null),
      }),
    );
  }
}

/** Lists at most `limit` months from `last` down to `first`, each as `yyyy-mm`. */
function monthsDown(last: string, first: string, limit: number): string[] {
  const months: string[] = [];
  for (let month = last; month >= first && months.length < limit; month = monthBefore(month)) months.push(month);
  return months;
}

function monthBefore(month: string): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() - 1);
  return date.toISOString().slice(0, 7);
}

function isMonth(text: string): boolean {
  return /^2\d{3}-(0[1-9]|1[0-2])$/.test(text);
}
