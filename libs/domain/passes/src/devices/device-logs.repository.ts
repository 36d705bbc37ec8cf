import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import type { EntityManager } from 'typeorm';

/** The pass that a serial number names, also a deleted one. */
export interface NamedPass {
  readonly accountId: string;
  readonly serialNumber: string;
}

/** A line about a pass, to be kept. */
export interface NewLogLine extends NamedPass {
  readonly id: string;
  readonly line: string;
}

/** How many lines of a pass are kept. */
export const keptLines = 50;

const findNamed = `
  SELECT p.account_id, p.serial_number FROM unnest($1::text[]) AS named (serial_number)
  JOIN pass p USING (serial_number)
  UNION
  SELECT x.account_id, x.serial_number FROM unnest($1::text[]) AS named (serial_number)
  JOIN deleted_pass x USING (serial_number)`;

/** What devices complain of: the table `apple_log_line`. */
@Injectable()
export class DeviceLogsRepository {
  constructor(private readonly database: Database) {}

  /** Those of these texts that are serial numbers of passes. */
  async findNamed(candidates: readonly string[]): Promise<NamedPass[]> {
    type Row = { account_id: string; serial_number: string };
    const rows = await this.database.lookUp<Row>('apple-named-passes', findNamed, [candidates]);
    return rows.map((row) => ({ accountId: row.account_id, serialNumber: row.serial_number }));
  }

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

  /** Deletes what came before then. */
  deleteOld(tx: EntityManager, before: Date, limit: number): Promise<number> {
    const key = ['account_id', 'serial_number', 'id'];
    return deleteSome(tx, { table: 'apple_log_line', key, condition: 'old.received_at < $1', values: [before] }, limit);
  }

  /** Deletes all lines of these passes but the newest 50 of each. */
  async prune(tx: EntityManager, passes: readonly NamedPass[]): Promise<void> {
    await tx.query(
      `DELETE FROM apple_log_line l
       USING unnest($1::text[], $2::text[]) AS pass (account_id, serial_number),
       LATERAL (
         SELECT id FROM apple_log_line newer
         WHERE newer.account_id = pass.account_id AND newer.serial_number = pass.serial_number
         ORDER BY id DESC OFFSET $3 LIMIT 1
       ) AS surplus
       WHERE l.account_id = pass.account_id AND l.serial_number = pass.serial_number AND l.id <= surplus.id`,
      [passes.map(({ accountId }) => accountId), passes.map(({ serialNumber }) => serialNumber), keptLines],
    );
  }
}
