import { Injectable } from '@nestjs/common';
import { Database, perAccount } from '@passwright/database';
import { joinTemplate, shareTemplate, shareTemplates } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { PassSerial } from '../listeners/pass.listener.js';
import { bySerialNumber, lookUpSerialNumber } from './serial-look-up.js';

/** An existing or deleted pass for which a device may register. */
export interface HeldPass {
  readonly templateId: string;
  readonly versionAt: Date;
  /** True if the pass has changed since it was issued. */
  readonly hasChanged: boolean;
}

/** Finds and locks existing and deleted passes for the libs that store registrations and resources of these passes. */
@Injectable()
export class HeldPassesRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param serialNumber a serial number whose token was checked. @returns the account of the existing or deleted pass;
   * null if there is no such pass
   */
  async findAccount(serialNumber: string): Promise<string | null> {
    type Row = { account_id: string };
    const [row] = await lookUpSerialNumber<Row>(this.database, 'apple-account', findAccount, serialNumber);
    return row?.account_id ?? null;
  }

  /** Returns the passes whose serial numbers are among these texts. */
  async findNamed(candidates: readonly string[]): Promise<PassSerial[]> {
    type Row = { account_id: string; serial_number: string };
    const rows = await this.database.lookUp<Row>('apple-named-passes', findNamed, [candidates]);
    return rows.map((row) => ({ accountId: row.account_id, serialNumber: row.serial_number }));
  }

  /**
   * Returns a pass and locks its version until `tx` ends. The version includes every committed change of the pass and
   * its template. Later changes wait until `tx` ends, and then see the rows that `tx` has written.
   */
  async hold(tx: EntityManager, accountId: string, serialNumber: string): Promise<HeldPass | null> {
    const values = [accountId, serialNumber];
    // Lock the template before the pass, as every change of a pass does.
    const [named] = await tx.query<{ template_id: string }[]>(
      'SELECT template_id FROM pass WHERE account_id = $1 AND serial_number = $2',
      values,
    );
    if (named) await shareTemplate(tx, accountId, named.template_id);
    const [pass] = await tx.query<HeldRow[]>(
      `SELECT p.template_id, GREATEST(p.updated_at, t.updated_at) AS version_at,
         GREATEST(p.updated_at, t.updated_at) > p.created_at AS has_changed
       FROM pass p ${joinTemplate('$1', 'p.template_id')}
       WHERE p.account_id = $1 AND p.serial_number = $2 FOR SHARE OF p`,
      values,
    );
    if (pass) return toHeldPass(pass);
    const [deleted] = await tx.query<HeldRow[]>(
      `SELECT template_id, deleted_at AS version_at, true AS has_changed
       FROM deleted_pass WHERE account_id = $1 AND serial_number = $2`,
      values,
    );
    return deleted ? toHeldPass(deleted) : null;
  }

  /**
   * Takes shared locks on templates and passes until `tx` ends.
   * @param held the passes to lock; without a serial number, only the template is locked
   */
  async share(
    tx: EntityManager,
    held: readonly { readonly accountId: string; readonly templateId: string; readonly serialNumber: string | null }[],
  ): Promise<void> {
    await shareTemplates(tx, held);
    const serials = held.flatMap(({ accountId, serialNumber }) => (serialNumber ? [{ accountId, serialNumber }] : []));
    await perAccount(this.database, serials, (some, write) =>
      tx.query(write(sharePassesSql), [
        some.map(({ accountId }) => accountId),
        some.map(({ serialNumber }) => serialNumber),
      ]),
    );
  }
}

interface HeldRow {
  readonly template_id: string;
  readonly version_at: Date;
  readonly has_changed: boolean;
}

function toHeldPass({ template_id, version_at, has_changed }: HeldRow): HeldPass {
  return { templateId: template_id, versionAt: version_at, hasChanged: has_changed };
}

const findAccount = bySerialNumber(
  (condition) => `
  SELECT account_id FROM pass WHERE ${condition}
  UNION ALL SELECT account_id FROM deleted_pass WHERE ${condition}`,
);

const findNamed = `
  SELECT p.account_id, p.serial_number FROM unnest($1::text[]) AS named (serial_number)
  JOIN pass p USING (serial_number)
  UNION
  SELECT x.account_id, x.serial_number FROM unnest($1::text[]) AS named (serial_number)
  JOIN deleted_pass x USING (serial_number)`;

const sharePassesSql = `
  SELECT FROM pass p JOIN unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
    ON p.account_id = k.account_id AND p.serial_number = k.serial_number
  ORDER BY p.account_id, p.serial_number FOR SHARE OF p`;
