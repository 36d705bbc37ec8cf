import { Injectable } from '@nestjs/common';
import { Database, deleteSome, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { PassSerial } from '@passwright/passes';

/** A log line about a pass, to be stored. */
export interface NewLogLine extends PassSerial {
  readonly id: string;
  readonly line: string;
}

/** Number of lines kept per pass. */
const storedLines = 50;

/** All queries on the table `apple_log_line`. */
@Injectable()
export class DeviceLogsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: EntityManager, lines: readonly NewLogLine[], receivedAt: Date): Promise<void> {
    await tx.query(
      `INSERT INTO apple_log_line (account_id, serial_number, id, line, received_at)
       SELECT account_id, serial_number, id, line, $5
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS new (account_id, serial_number, id, line)`,
      [
        lines.map(({ accountId }) => accountId),
        lines.map(({ serialNumber }) => serialNumber),
        lines.map(({ id }) => id),
        lines.map(({ line }) => line),
        receivedAt,
      ],
    );
  }

  /** Deletes lines received before this time. */
  deleteOld(tx: EntityManager, before: Date, limit: number): Promise<number> {
    const key = ['account_id', 'serial_number', 'id'];
    return deleteSome(
      this.database,
      tx,
      { table: 'apple_log_line', key, condition: 'old.received_at < $1', values: [before] },
      limit,
    );
  }

  /** Deletes all lines of these passes except the newest 50 of each. */
  async prune(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    await perAccount(this.database, passes, async (some, write) => {
      const serials = [some.map(({ accountId }) => accountId), some.map(({ serialNumber }) => serialNumber)];
      return (await tx.query<[never[], number]>(write(pruneSql), [...serials, storedLines]))[0];
    });
  }
}

const pruneSql = `
  DELETE FROM apple_log_line l
  USING unnest($1::text[], $2::text[]) AS pass (account_id, serial_number),
  LATERAL (
    SELECT id FROM apple_log_line newer
    WHERE newer.account_id = pass.account_id AND newer.serial_number = pass.serial_number
    ORDER BY id DESC OFFSET $3 LIMIT 1
  ) AS surplus
  WHERE l.account_id = pass.account_id AND l.serial_number = pass.serial_number AND l.id <= surplus.id`;
