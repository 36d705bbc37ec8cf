import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { MailEncryption } from '../mails/mail-encryption.js';
import { PassMailRow } from '../mails/pass-mail.entity.js';
import type { PassAddress } from '../passes/pass-links.js';

/** What belongs to a pass elsewhere, by its address. */
export interface StoredOfPass {
  readonly mails: number;
  readonly devices: number;
}

/** What is stored of passes besides themselves, for those who want to see or erase it. */
@Injectable()
export class HolderPassesRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MailEncryption,
  ) {}

  /** Passes that were sent to an address, in any case of letters, in the order of their ids. */
  async mailedTo(accountId: string, email: string, after: PassAddress | null, limit: number): Promise<PassAddress[]> {
    const forms = await this.encryption.formsOf(accountId, email);
    const values = [accountId, forms, after?.templateId ?? '', after?.passId ?? '', limit];
    return this.database.reads.query<PassAddress[]>(mailedToSql, values);
  }

  /** Forgets the mails to an address that brought these passes, which stay. @returns how many */
  async deleteMailsTo(tx: EntityManager, accountId: string, email: string, passes: readonly PassAddress[]) {
    const ids = [passes.map(({ templateId }) => templateId), passes.map(({ passId }) => passId)];
    const forms = await this.encryption.formsOf(accountId, email, tx);
    const [, count] = await tx.query<[unknown, number]>(deleteMailsSql, [accountId, forms, ...ids]);
    return count;
  }

  /** Counts what `erase` and the deletion of a locked pass take away. */
  async count(tx: EntityManager, address: PassAddress, serialNumber: string): Promise<StoredOfPass> {
    const { accountId, templateId, passId } = address;
    const [row] = await tx.query<StoredOfPass[]>(countSql, [accountId, templateId, passId, serialNumber]);
    return row ?? { mails: 0, devices: 0 };
  }

  /** Of a locked pass that is being deleted: what devices said, those that have left, and what Google had against it. */
  async erase(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    for (const sql of eraseSql) await tx.query(sql, [accountId, serialNumber]);
  }

  /** As `erase`, of passes that had the address and were deleted before. */
  async eraseDeleted(tx: EntityManager, { accountId, templateId, passId }: PassAddress): Promise<void> {
    const rows = await tx.query<{ serialNumber: string }[]>(
      `SELECT serial_number AS "serialNumber" FROM deleted_pass
       WHERE account_id = $1 AND template_id = $2 AND pass_id = $3`,
      [accountId, templateId, passId],
    );
    for (const { serialNumber } of rows) await this.erase(tx, accountId, serialNumber);
  }

  async mails({ accountId, templateId, passId }: PassAddress): Promise<PassMailRow[]> {
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    const mails = await this.database.reads.find(PassMailRow, { where: { accountId, templateId, passId }, order });
    return this.encryption.openAll(mails);
  }

  /** Rows as they are, but for the secrets of phones and push services. */
  async devices(accountId: string, serialNumber: string): Promise<Record<'installed' | 'former' | 'log', object[]>> {
    const read = (sql: string) => this.database.reads.query<object[]>(sql, [accountId, serialNumber]);
    return { installed: await read(installedSql), former: await read(formerSql), log: await read(logSql) };
  }

  google(accountId: string, serialNumber: string): Promise<object[]> {
    return this.database.reads.query<object[]>(googleSql, [accountId, serialNumber]);
  }
}

export const mailedToSql = `
  SELECT DISTINCT account_id AS "accountId", template_id AS "templateId", pass_id AS "passId" FROM pass_mail
  WHERE account_id = $1 AND lower(recipient) = ANY ($2::text[]) AND (template_id, pass_id) > ($3, $4)
  ORDER BY template_id, pass_id LIMIT $5`;

const deleteMailsSql = `
  DELETE FROM pass_mail WHERE account_id = $1 AND lower(recipient) = ANY ($2::text[])
    AND (template_id, pass_id) IN (SELECT * FROM unnest($3::text[], $4::text[]))`;

const countSql = `
  SELECT
    (SELECT count(*)::integer FROM pass_mail WHERE account_id = $1 AND template_id = $2 AND pass_id = $3) AS mails,
    (SELECT count(*)::integer FROM (
       SELECT device_id FROM apple_registration WHERE account_id = $1 AND serial_number = $4
       UNION SELECT device_id FROM apple_former_registration WHERE account_id = $1 AND serial_number = $4
     ) AS devices) AS devices`;

const eraseSql = [
  'DELETE FROM apple_log_line WHERE account_id = $1 AND serial_number = $2',
  'DELETE FROM apple_former_registration WHERE account_id = $1 AND serial_number = $2',
  'UPDATE google_resource SET problem = NULL, problem_status = NULL WHERE account_id = $1 AND serial_number = $2',
];

const installedSql = `
  SELECT r.device_id AS "deviceId", r.registered_at AS "registeredAt", r.fetched_at AS "fetchedAt",
    d.pushed_at AS "pushedAt", d.listed_at AS "listedAt"
  FROM apple_registration r JOIN apple_device d ON d.account_id = r.account_id AND d.id = r.device_id
  WHERE r.account_id = $1 AND r.serial_number = $2 ORDER BY r.device_id LIMIT 1000`;

const formerSql = `
  SELECT device_id AS "deviceId", reason, left_at AS "leftAt" FROM apple_former_registration
  WHERE account_id = $1 AND serial_number = $2 ORDER BY device_id LIMIT 1000`;

const logSql = `
  SELECT line, received_at AS "receivedAt" FROM apple_log_line
  WHERE account_id = $1 AND serial_number = $2 ORDER BY id LIMIT 1000`;

const googleSql = `
  SELECT issuer_id || '.' || id AS "objectId", sent_at AS "sentAt", saves, removals, created_at AS "createdAt"
  FROM google_resource WHERE account_id = $1 AND serial_number = $2 ORDER BY issuer_id, id`;
