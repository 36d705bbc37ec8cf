import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { RenderType } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { type StoredReference, type PassReference, referenceName } from '../content/pass-relations.js';

/** A pass to which another pass links. */
export interface LinkTarget extends StoredReference {
  readonly type: RenderType;
}

/** Finds the passes to which a pass links, and the passes that link to it. */
@Injectable()
export class RelatedPassesRepository {
  constructor(private readonly database: Database) {}

  /** Returns links to the passes, by `referenceName`. Omits passes that do not exist. */
  async existing(
    tx: EntityManager,
    accountId: string,
    passes: readonly PassReference[],
  ): Promise<ReadonlyMap<string, StoredReference>> {
    if (passes.length === 0) return new Map();
    const links = await tx.query<StoredReference[]>(existingSql, valuesOf(accountId, passes));
    return new Map(links.map((link) => [referenceName(link), link]));
  }

  /** Returns the targets of links. Omits deleted passes, even if new passes have their ids. */
  async targets(accountId: string, links: readonly StoredReference[]): Promise<LinkTarget[]> {
    if (links.length === 0) return [];
    const values = [...valuesOf(accountId, links), links.map(({ serialNumber }) => serialNumber)];
    return this.database.lookUp<LinkTarget>('link-targets', targetsSql, values);
  }

  /** Returns true if a pass links to one of these passes. */
  async areLinked(tx: EntityManager, accountId: string, serialNumbers: readonly string[]): Promise<boolean> {
    if (serialNumbers.length === 0) return false;
    const targets = serialNumbers.map((serialNumber) => JSON.stringify([serialNumber]));
    const [row] = await tx.query<{ linked: boolean }[]>(areLinkedSql, [accountId, targets]);
    return row?.linked ?? false;
  }

  /** Lists the serial numbers of the passes that link to this pass, in ascending order, starting after `after`. */
  async linking(
    accountId: string,
    serialNumber: string,
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<string[]> {
    const values = [accountId, JSON.stringify([serialNumber]), after, limit];
    const rows = await this.database.reads.query<{ serial_number: string }[]>(linkingSql, values);
    return rows.map(({ serial_number }) => serial_number);
  }
}

const valuesOf = (accountId: string, links: readonly PassReference[]) => [
  accountId,
  links.map(({ templateId }) => templateId),
  links.map(({ passId }) => passId),
];

const existingSql = `
  SELECT p.template_id AS "templateId", p.id AS "passId", p.serial_number AS "serialNumber"
  FROM unnest($2::text[], $3::text[]) AS k(template_id, id)
  JOIN pass p ON p.account_id = $1 AND p.template_id = k.template_id AND p.id = k.id`;

const targetsSql = `
  SELECT DISTINCT p.template_id AS "templateId", p.id AS "passId", p.serial_number AS "serialNumber", p.template_type AS type
  FROM unnest($2::text[], $3::text[], $4::text[]) AS k(template_id, id, serial_number)
  JOIN pass p ON p.account_id = $1 AND p.template_id = k.template_id AND p.id = k.id AND p.serial_number = k.serial_number`;

/** Returns a materialised query, so that the planner uses the index of links even if the caller reads few rows. */
const linkingTo = (targets: string) => `
  WITH linking AS MATERIALIZED (
    SELECT serial_number FROM pass WHERE account_id = $1 AND linked_passes IS NOT NULL
      AND jsonb_path_query_array(linked_passes, '$[*].serialNumber') @> ${targets}
  )`;

export const areLinkedSql = `${linkingTo('ANY ($2::jsonb[])')} SELECT EXISTS (SELECT FROM linking) AS linked`;

export const linkingSql = `${linkingTo('$2::jsonb')}
  SELECT serial_number FROM linking WHERE serial_number > $3 ORDER BY serial_number LIMIT $4`;
