import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Clock, randomId, scopes, type Principal } from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { JobsModule } from '@passwright/jobs';
import { FixedClock, testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { EventWatchService } from './event-watch.service.js';
import { EventsCleanupCron } from './events-cleanup.cron.js';
import { RestoredEventsListener } from './restored-events.listener.js';
import { WebhookEventsQuery } from './webhook-event.dto.js';
import { WebhookEventsRepository } from './webhook-events.repository.js';
import { WebhookEventsService } from './webhook-events.service.js';

/** Builds a caller with all rights in an account. */
export function adminOf(accountId: string): Principal {
  return { kind: 'user', id: 'usr_admin', accountId, scopes };
}

/**
 * Returns the partitions of events and deliveries that have more than a few rows. No plan may scan these completely.
 */
export async function filledPartitions(db: EntityManager): Promise<string[]> {
  const rows = await db.query<{ name: string }[]>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent IN ('webhook_event'::regclass, 'webhook_delivery'::regclass) AND c.reltuples > 1000`,
  );
  return rows.map(({ name }) => name);
}

/** Records and reads events on a real database. The clock stands still, close to the database's time. */
export class EventsWorld {
  readonly clock = new FixedClock(new Date().toISOString());
  private module!: TestingModule;

  static async start(): Promise<EventsWorld> {
    const world = new EventsWorld();
    const { url } = await testDatabase();
    const outside = [{ provide: Clock, useValue: world.clock }];
    @Module({})
    class OutsideModule {}
    world.module = await Test.createTestingModule({
      imports: [
        { module: OutsideModule, global: true, providers: outside, exports: [Clock] },
        DatabaseModule.forRoot({ url, poolSize: 10 }),
        JobsModule.forRoot({ url, run: false }),
      ],
      providers: [
        EventWatchService,
        EventsCleanupCron,
        RestoredEventsListener,
        WebhookEventsRepository,
        WebhookEventsService,
      ],
    }).compile();
    await world.module.init();
    return world;
  }

  stop(): Promise<void> {
    return this.module.close();
  }

  get<T>(token: abstract new (...args: never[]) => T): T {
    return this.module.get<T>(token);
  }

  get db(): EntityManager {
    return this.get(Database).reads;
  }

  /** Begins a transaction that the test ends later. */
  async begin() {
    const runner = this.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    const end = (how: 'commitTransaction' | 'rollbackTransaction') => async () => {
      await runner[how]();
      await runner.release();
    };
    return { tx: runner.manager, commit: end('commitTransaction'), rollback: end('rollbackTransaction') };
  }

  /** Creates an account with the template `t`. */
  async account(): Promise<string> {
    const id = `acc_${randomUUID()}`;
    await this.db.query('INSERT INTO account (id, name, created_at) VALUES ($1, $1, now())', [id]);
    await this.db.query(
      `INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
         sharing_prohibited, locations, fields, back_fields, revision, created_at, updated_at)
       VALUES ($1, 't', 'offer', 'T', 'I', '#fff', '#000', '{}', false, '[]', '[]', '[]', 1, now(), now())`,
      [id],
    );
    return id;
  }

  async webhook(
    accountId: string,
    {
      types = null,
      url = null,
      disabled = false,
    }: { types?: string[] | null; url?: string | null; disabled?: boolean } = {},
  ): Promise<string> {
    const id = `whk_${randomId()}`;
    await this.db.query(
      `INSERT INTO webhook (account_id, id, url, types, secret, disabled_at, created_at, updated_at)
       VALUES ($1, $2, $3, $4, '', CASE WHEN $5 THEN now() END, now(), now())`,
      [accountId, id, url, types, disabled],
    );
    return id;
  }

  /**
   * Issues passes of the template `t` in each of the accounts in one statement. Their ids are `<prefix>1`, `<prefix>2`
   * and so on.
   */
  async issue(accountIds: string | string[], prefix: string, count = 1, tx = this.db): Promise<void> {
    await tx.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at)
       SELECT account_id, 't', 'offer', $2 || n, $2 || n || account_id, $2 || n, '[]', '[]', '[]', '{}', 1, now(), now()
       FROM unnest($1::text[]) AS account_id, generate_series(1, $3) AS n`,
      [[accountIds].flat(), prefix, count],
    );
  }

  list(accountId: string, webhookId: string, query: Partial<WebhookEventsQuery> = {}, gone = new AbortController()) {
    const asked = Object.assign(new WebhookEventsQuery(), query);
    return this.get(WebhookEventsService).list(adminOf(accountId), webhookId, asked, gone.signal);
  }

  /**
   * Waits until all events of the account are readable, because other specs have open transactions on the same server.
   */
  async settled(accountId: string): Promise<void> {
    for (const deadline = performance.now() + 20_000; performance.now() < deadline; await pause(20)) {
      const [row] = await this.db.query<{ settled: boolean }[]>(
        `SELECT coalesce(max(recorded_in) < pg_snapshot_xmin(pg_current_snapshot()), true) AS settled
         FROM webhook_event WHERE account_id = $1`,
        [accountId],
      );
      if (row?.settled) return;
    }
    throw new Error('A transaction of another spec has been open for 20 seconds');
  }

  /** Reads all events after a cursor as `<type> <pass>`, and the next cursor. */
  async read(accountId: string, webhookId: string, cursor?: string, limit = 100) {
    const reported: string[] = [];
    for (let at = cursor; ;) {
      const page = await this.list(accountId, webhookId, { limit, ...(at !== undefined && { cursor: at }) });
      reported.push(...page.data.map(({ type, data }) => [type, data.passId].filter(Boolean).join(' ')));
      at = page.cursor;
      if (page.nextCursor === null) return { reported, cursor: at };
    }
  }

  /**
   * Shifts the times of an account's events, and of their deliveries, by a number of days. Shifts only events that meet
   * the condition.
   */
  async delay(accountId: string, days: number, condition = 'true'): Promise<void> {
    const id = (column: string, time: string) =>
      `'evt_' || lpad(to_hex((extract(epoch FROM ${time} + $2::interval) * 1000)::bigint), 12, '0') || substr(${column}, 17)`;
    const values = [accountId, `${days} days`];
    await this.db.query(
      `UPDATE webhook_delivery d SET event_id = ${id('event_id', 'd.occurred_at')}, occurred_at = d.occurred_at + $2::interval
       FROM webhook_event e WHERE d.account_id = $1 AND e.account_id = $1 AND e.id = d.event_id AND ${condition}`,
      values,
    );
    await this.db.query(
      `UPDATE webhook_event e SET id = ${id('id', 'occurred_at')}, occurred_at = occurred_at + $2::interval
       WHERE account_id = $1 AND ${condition}`,
      values,
    );
  }

  /**
   * Records events in each of the four weeks that end `days` days from now. The clean-up then knows that all older
   * weeks are over.
   */
  async liveUntil(days: number): Promise<void> {
    const accountId = await this.account();
    await this.webhook(accountId, { url: 'https://crm.example' });
    for (let ago = 0; ago <= 27; ago += 3) {
      await this.issue(accountId, `ago-${ago}-`);
      await this.delay(accountId, days - ago, `e.data->>'passId' LIKE 'ago-${ago}-%'`);
    }
  }

  async count(table: string, accountId: string): Promise<number> {
    const [row] = await this.db.query<{ count: string }[]>(`SELECT count(*) FROM ${table} WHERE account_id = $1`, [
      accountId,
    ]);
    return Number(row?.count);
  }
}
