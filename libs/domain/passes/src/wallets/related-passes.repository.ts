import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { RenderType } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { referenceName, type PassReference } from '../content/pass-relations.js';

/** A pass to which another links. */
export interface LinkTarget extends PassReference {
  readonly serialNumber: string;
  readonly type: RenderType;
}

/** Finds the passes to which others link, and the passes that link to others. */
@Injectable()
export class RelatedPassesRepository {
  constructor(private readonly database: Database) {}

  /** Returns the names of those of these passes that exist. */
  async existing(tx: EntityManager, accountId: string, links: readonly PassReference[]): Promise<ReadonlySet<string>> {
    if (links.length === 0) return new Set();
    return new Set((await tx.query<LinkTarget[]>(targetsSql, valuesOf(accountId, links))).map(referenceName));
  }

  /** Returns those of these passes that exist. */
  async targets(accountId: string, links: readonly PassReference[]): Promise<LinkTarget[]> {
    if (links.length === 0) return [];
    return this.database.lookUp<LinkTarget>('link-targets', targetsSql, valuesOf(accountId, links));
  }

  /** Returns the serial numbers of the passes that link to one of these. */
  async linking(tx: EntityManager, accountId: string, passes: readonly PassReference[]): Promise<string[]> {
    if (passes.length === 0) return [];
    const links = passes.map(({ templateId, passId }) => JSON.stringify([{ templateId, passId }]));
    const rows = await tx.query<{ serial_number: string }[]>(linkingSql, [accountId, links]);
    return rows.map(({ serial_number }) => serial_number);
  }
}

const valuesOf = (accountId: string, links: readonly PassReference[]) => [
  accountId,
  links.map(({ templateId }) => templateId),
  links.map(({ passId }) => passId),
];

const targetsSql = `
  SELECT p.template_id AS "templateId", p.id AS "passId", p.serial_number AS "serialNumber", p.template_type AS type
  FROM unnest($2::text[], $3::text[]) AS k(template_id, id)
  JOIN pass p ON p.account_id = $1 AND p.template_id = k.template_id AND p.id = k.id`;

export const linkingSql = `
  SELECT DISTINCT p.serial_number FROM unnest($2::jsonb[]) AS k(link)
  JOIN pass p ON p.account_id = $1 AND p.linked_passes IS NOT NULL AND p.linked_passes @> k.link`;
