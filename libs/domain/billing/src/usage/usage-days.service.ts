import { Injectable } from '@nestjs/common';
import { Clock, decodeCursor, type Page, type PageQuery, toPage } from '@passwright/core';
import { Database } from '@passwright/database';
import { UsageDaysRepository } from './usage-days.repository.js';
import type { UsageDayResponse } from './usage-history.dto.js';

const dayMs = 86_400_000;

/** Lists the usage of an account by day. */
@Injectable()
export class UsageDaysService {
  constructor(
    private readonly repository: UsageDaysRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists every day since the account was created or days were first recorded, the current day first. Includes days
   * without usage.
   * @throws ValidationFailed for a cursor of another list
   */
  list(accountId: string, query: PageQuery): Promise<Page<UsageDayResponse>> {
    return this.database.onReplica(() => this.page(accountId, query));
  }

  private async page(accountId: string, { limit, cursor }: PageQuery): Promise<Page<UsageDayResponse>> {
    const [before] = decodeCursor(cursor, isDay) ?? [];
    const present = dayOf(this.clock.now().getTime());
    const first = (await this.repository.first(accountId)) ?? present;
    const days = daysDown(before ? dayBefore(before) : present, first, limit + 1);
    const { [0]: last, [days.length - 1]: earliest } = days;
    const known = last && earliest ? await this.repository.between(accountId, earliest, last, present) : [];
    const byDay = new Map(known.map((day) => [day.day, day]));
    const unused = { passCreations: 0, redemptions: 0, installations: 0 };
    return toPage(
      days,
      limit,
      (day) => [day],
      (day) => byDay.get(day) ?? { day, ...unused },
    );
  }
}

/** Lists at most `limit` days from `last` down to `first`, each as `yyyy-mm-dd`. */
function daysDown(last: string, first: string, limit: number): string[] {
  const days: string[] = [];
  for (let day = last; day >= first && days.length < limit; day = dayBefore(day)) days.push(day);
  return days;
}

function dayBefore(day: string): string {
  return dayOf(Date.parse(day) - dayMs);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function isDay(text: string): boolean {
  return /^2\d{3}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
