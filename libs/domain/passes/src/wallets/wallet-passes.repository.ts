import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { joinTemplate } from '@passwright/templates';
import { PassEncryptionService } from '../content/pass-encryption.service.js';
import { type Pass, saltSql } from '../content/pass.entity.js';
import { canExist, type PassAddress } from '../addresses/pass-address.js';
import { bySerialNumber, lookUpSerialNumber } from './serial-look-up.js';

/** A pass and the version of its template, as needed to serve the pass to a wallet. */
export interface WalletPass {
  readonly pass: Omit<
    Pass,
    'accountId' | 'templateId' | 'templateType' | 'id' | 'metadata' | 'managedBy' | 'version' | 'personal' | 'salt'
  >;
  readonly template: {
    readonly revision: number;
    readonly archivedAt: Date | null;
    readonly createdAt: Date;
    readonly updatedAt: Date;
  };
}

/** A pass with its address. */
export interface RelatedPass {
  readonly address: PassAddress;
  readonly row: WalletPass;
}

/** The versions of a pass and its template, and the times that decide the state of the pass. */
export interface RelatedVersion {
  readonly pass: Pick<Pass, 'serialNumber' | 'updatedAt' | 'validFrom' | 'expiresAt' | 'voidedAt' | 'redeemedAt'>;
  readonly template: Pick<WalletPass['template'], 'revision' | 'archivedAt' | 'createdAt'>;
}

interface Columns {
  readonly serial_number: string;
  readonly code: string;
  readonly valid_from: Date | null;
  readonly expires_at: Date | null;
  readonly voided_at: Date | null;
  readonly expired_at: Date | null;
  readonly redeemed_at: Date | null;
  readonly primary_value: string | null;
  readonly personal: Buffer | null;
  readonly salt: Buffer | null;
  readonly thumbnail: Pass['thumbnail'];
  readonly fields: Pass['fields'];
  readonly back_fields: Pass['backFields'];
  readonly locations: Pass['locations'];
  readonly language: Pass['language'];
  readonly translations: Pass['translations'];
  readonly messages: Pass['messages'];
  readonly actions: Pass['actions'];
  readonly pass_group: Pass['group'];
  readonly linked_passes: Pass['linkedPasses'];
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly revision: number;
  readonly archived_at: Date | null;
  readonly template_created_at: Date;
  readonly template_updated_at: Date;
}

type VersionColumns = Pick<
  Columns,
  | 'serial_number'
  | 'updated_at'
  | 'valid_from'
  | 'expires_at'
  | 'voided_at'
  | 'redeemed_at'
  | 'revision'
  | 'archived_at'
  | 'template_created_at'
>;

const columns = (account: string) => `
  p.serial_number, p.code, p.valid_from, p.expires_at, p.voided_at, p.expired_at, p.redeemed_at, p.primary_value,
  p.personal, ${saltSql('p', account)} AS salt, p.thumbnail, p.fields, p.back_fields, p.locations, p.language, p.translations,
  p.messages, p.actions, p.pass_group, p.linked_passes, p.created_at, p.updated_at,
  t.revision, t.archived_at, t.created_at AS template_created_at, t.updated_at AS template_updated_at`;
const versionColumns = `
  p.serial_number, p.updated_at, p.valid_from, p.expires_at, p.voided_at, p.redeemed_at,
  t.revision, t.archived_at, t.created_at AS template_created_at`;
const tables = `pass p ${joinTemplate('$1', 'p.template_id')}`;
const findPass = `SELECT ${columns('$1')} FROM ${tables} WHERE p.account_id = $1 AND p.template_id = $2 AND p.id = $3`;
/**
 * The LIMIT tells the planner that there is only one pass. In a partitioned table, the planner then looks up the
 * template by its key.
 */
const findBySerial = bySerialNumber(
  (condition, account) => `
  SELECT p.account_id, p.template_id, p.id, ${columns(account)}
  FROM (SELECT * FROM pass WHERE ${condition} LIMIT 1) AS p ${joinTemplate(account, 'p.template_id')}`,
);

const inOrder = `(g.pass_group ->> 'order')::integer, g.template_id, g.id`;
const relatedSql = (read: string) => `
  SELECT p.account_id, p.template_id, p.id, ${read}
  FROM (
    SELECT template_id, id, serial_number, min(place) AS place FROM (
      (SELECT g.template_id, g.id, g.serial_number, row_number() OVER (ORDER BY ${inOrder}) AS place FROM pass g
      WHERE g.account_id = $1 AND g.pass_group IS NOT NULL AND g.pass_group ->> 'id' = $2
      ORDER BY ${inOrder} LIMIT $7::integer + 1)
      UNION ALL
      SELECT l.template_id, l.id, l.serial_number, 1000 + l.place
      FROM unnest($3::text[], $4::text[], $8::text[]) WITH ORDINALITY AS l(template_id, id, serial_number, place)
    ) AS named WHERE template_id <> $5 OR id <> $6 GROUP BY template_id, id, serial_number
  ) AS k
  JOIN pass p ON p.account_id = $1 AND p.template_id = k.template_id AND p.id = k.id AND p.serial_number = k.serial_number
  ${joinTemplate('$1', 'p.template_id')}
  ORDER BY k.place LIMIT $7::integer`;
export const findRelatedSql = relatedSql(columns('$1'));
const findRelatedVersionsSql = relatedSql(versionColumns);

/** The properties of a pass that refer to its related passes. */
type Relating = Pick<Pass, 'group' | 'linkedPasses'>;

/** Looks up the pass that a download requests, and its related passes. */
@Injectable()
export class WalletPassesRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: PassEncryptionService,
  ) {}

  async find(address: PassAddress): Promise<WalletPass | null> {
    if (!canExist(address)) return null;
    const { accountId, templateId, passId } = address;
    const [row] = await this.database.onReplica(() =>
      this.database.lookUp<Columns>('apple-pass', findPass, [accountId, templateId, passId]),
    );
    return row ? this.toRow(accountId, row) : null;
  }

  /** @param serialNumber a serial number whose token was checked */
  async findBySerialNumber(serialNumber: string): Promise<{ address: PassAddress; row: WalletPass } | null> {
    const [row] = await this.database.onReplica(() =>
      lookUpSerialNumber<AddressColumns & Columns>(this.database, 'apple-pass-by-serial', findBySerial, serialNumber),
    );
    if (!row) return null;
    const address = { accountId: row.account_id, templateId: row.template_id, passId: row.id };
    return { address, row: await this.toRow(row.account_id, row) };
  }

  /**
   * Returns the passes that are related to a pass: first the other passes of its group in their order, then its linked
   * passes. Omits deleted passes, even if new passes have their ids. Makes no query for a pass without a group and
   * links.
   */
  async findRelated(address: PassAddress, pass: Relating, limit: number): Promise<RelatedPass[]> {
    const rows = await this.related<Columns>('related-passes', findRelatedSql, address, pass, limit);
    return Promise.all(
      rows.map(async (row) => ({
        address: { accountId: row.account_id, templateId: row.template_id, passId: row.id },
        row: await this.toRow(row.account_id, row),
      })),
    );
  }

  /** Works like `findRelated`, but does not read the content, which may be megabytes. */
  async findRelatedVersions(address: PassAddress, pass: Relating, limit: number): Promise<RelatedVersion[]> {
    const rows = await this.related<VersionColumns>('related-versions', findRelatedVersionsSql, address, pass, limit);
    return rows.map((row) => ({
      pass: {
        serialNumber: row.serial_number,
        updatedAt: row.updated_at,
        validFrom: row.valid_from,
        expiresAt: row.expires_at,
        voidedAt: row.voided_at,
        redeemedAt: row.redeemed_at,
      },
      template: { revision: row.revision, archivedAt: row.archived_at, createdAt: row.template_created_at },
    }));
  }

  private async related<Row>(
    name: string,
    sql: string,
    { accountId, templateId, passId }: PassAddress,
    { group, linkedPasses }: Relating,
    limit: number,
  ): Promise<(AddressColumns & Row)[]> {
    const links = linkedPasses ?? [];
    if (!group && links.length === 0) return [];
    const values = [
      ...[accountId, group?.id ?? null],
      ...[links.map((link) => link.templateId), links.map((link) => link.passId)],
      ...[templateId, passId, limit, links.map((link) => link.serialNumber)],
    ];
    return this.database.onReplica(() => this.database.lookUp<AddressColumns & Row>(name, sql, values));
  }

  private async toRow(accountId: string, row: Columns): Promise<WalletPass> {
    const { serial_number: serialNumber, primary_value: primaryValue, personal, salt } = row;
    const stored = { accountId, serialNumber, primaryValue, personal, salt };
    return toRow(row, await this.encryption.nameOn(stored));
  }
}

interface AddressColumns {
  readonly account_id: string;
  readonly template_id: string;
  readonly id: string;
}

function toRow(row: Columns, primaryValue: string | null): WalletPass {
  return {
    pass: {
      serialNumber: row.serial_number,
      code: row.code,
      validFrom: row.valid_from,
      expiresAt: row.expires_at,
      voidedAt: row.voided_at,
      expiredAt: row.expired_at,
      redeemedAt: row.redeemed_at,
      primaryValue,
      thumbnail: row.thumbnail,
      fields: row.fields,
      backFields: row.back_fields,
      locations: row.locations,
      language: row.language,
      translations: row.translations,
      messages: row.messages,
      actions: row.actions,
      group: row.pass_group,
      linkedPasses: row.linked_passes,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    },
    template: {
      revision: row.revision,
      archivedAt: row.archived_at,
      createdAt: row.template_created_at,
      updatedAt: row.template_updated_at,
    },
  };
}
