import { Injectable } from '@nestjs/common';
import { Database, firstAccountOfJson, perAccount } from '@passwright/database';
import { Template } from '@passwright/templates';
import { type EntityManager, In } from 'typeorm';
import type { PassAddress } from '../addresses/pass-address.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { PassEncryptionService } from '../content/pass-encryption.service.js';
import { Pass } from '../content/pass.entity.js';

/** Locks and writes several managed passes at once. */
@Injectable()
export class ManagedPassesRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: PassEncryptionService,
  ) {}

  /**
   * Locks several passes of one account, in the given order. The caller must have locked their templates.
   * @returns the existing passes, by `<templateId>/<passId>`
   */
  async lock(tx: EntityManager, addresses: readonly PassAddress[]): Promise<Map<string, IssuedPass>> {
    const [first] = addresses;
    if (!first) return new Map();
    const { accountId } = first;
    const ids = [addresses.map(({ templateId }) => templateId), addresses.map(({ passId }) => passId)];
    const rows = await tx.query<{ serial_number: string }[]>(lockManySql, [accountId, ...ids]);
    const serials = rows.map((row) => row.serial_number);
    const { entities, raw } = await tx
      .createQueryBuilder(Pass, 'pass')
      .innerJoin(Template, 'template', 'template.accountId = pass.accountId AND template.id = pass.templateId')
      .addSelect('template.archivedAt', 'archived_at')
      .addSelect('template.updatedAt', 'template_updated_at')
      .where({ accountId, serialNumber: In(serials) })
      .getRawAndEntities<{ archived_at: Date | null; template_updated_at: Date }>();
    await this.encryption.openAll(entities, tx);
    const issued = entities.flatMap((pass, index) => {
      const row = raw[index];
      return row ? [{ pass, archivedAt: row.archived_at, templateUpdatedAt: row.template_updated_at }] : [];
    });
    return new Map(issued.map((one) => [`${one.pass.templateId}/${one.pass.id}`, one]));
  }

  /** Writes the managed content of locked passes in one statement. */
  async update(tx: EntityManager, passes: readonly Pass[]): Promise<void> {
    if (passes.length === 0) return;
    const encrypted = await this.encryption.encryptedAll(tx, passes);
    await perAccount(this.database, encrypted, (some, write) =>
      tx.query<never[]>(write(updateContentsSql, firstAccountOfJson), [JSON.stringify(some.map(contentsOf))]),
    );
  }
}

export const lockManySql = `
  SELECT p.serial_number FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS k(template_id, id, place)
  JOIN pass p ON p.account_id = $1 AND p.template_id = k.template_id AND p.id = k.id
  ORDER BY k.place FOR UPDATE OF p`;

/** Finds the passes by serial number, for the same reason as `expireSql` in `PassExpiryRepository`. */
export const updateContentsSql = `
  UPDATE pass p SET primary_value = c.primary_value, expires_at = c.expires_at, expired_at = c.expired_at,
    voided_at = c.voided_at, fields = c.fields, version = c.version, updated_at = c.updated_at,
    personal = decode(c.personal, 'hex')
  FROM json_to_recordset($1::json) AS c(account_id text, serial_number text, primary_value text, expires_at timestamptz,
    expired_at timestamptz, voided_at timestamptz, fields jsonb, version integer, updated_at timestamptz, personal text)
  WHERE p.account_id = c.account_id AND p.serial_number = c.serial_number`;

function contentsOf(pass: Pass): object {
  return {
    account_id: pass.accountId,
    serial_number: pass.serialNumber,
    primary_value: pass.primaryValue,
    expires_at: pass.expiresAt,
    expired_at: pass.expiredAt,
    voided_at: pass.voidedAt,
    fields: pass.fields,
    version: pass.version,
    updated_at: pass.updatedAt,
    personal: pass.personal?.toString('hex') ?? null,
  };
}
