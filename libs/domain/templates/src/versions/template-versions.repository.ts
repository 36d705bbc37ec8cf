import { Injectable } from '@nestjs/common';
import { Database, deleteInBatches, deleteSome } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { frontOf, readFront, type TemplateFront } from './template-front.js';

/** The maximum number of earlier fronts stored per template, so that frequent changes use little space. */
const KEPT_OF_TEMPLATE = 20;

/** A template before a change. */
export interface ChangingTemplate extends TemplateFront {
  readonly accountId: string;
  readonly id: string;
  readonly revision: number;
}

/** A template revision that a wallet has received. */
export interface KnownTemplate {
  readonly templateId: string;
  readonly revision: number;
}

/** All queries on the table `template_version`. */
@Injectable()
export class TemplateVersionsRepository {
  constructor(private readonly database: Database) {}

  /** Stores the front of a locked template that is about to change. */
  async add(tx: EntityManager, template: ChangingTemplate, now: Date): Promise<void> {
    const { accountId, id, revision } = template;
    await tx.query(addSql, [accountId, id, revision, JSON.stringify(frontOf(template)), now, KEPT_OF_TEMPLATE]);
  }

  /**
   * Returns the fronts that templates had at the revisions in `known`, in the same order. Returns null for a revision
   * with the current front, and the oldest stored front for a revision before it.
   */
  async find(accountId: string, known: readonly KnownTemplate[]): Promise<(TemplateFront | null)[]> {
    const values = [accountId, known.map(({ templateId }) => templateId), known.map(({ revision }) => revision)];
    const rows = await this.database.reads.query<{ front: TemplateFront | null }[]>(findSql, values);
    return rows.map(({ front }) => front && readFront(front));
  }

  deleteOld(before: Date): Promise<void> {
    const key = ['account_id', 'template_id', 'revision'];
    const old = { table: 'template_version', key, condition: 'old.created_at < $1', values: [before] };
    return deleteInBatches(this.database, (tx, limit) => deleteSome(this.database, tx, old, limit));
  }
}

const addSql = `
  WITH surplus AS (
    DELETE FROM template_version WHERE account_id = $1 AND template_id = $2 AND revision IN (
      SELECT revision FROM template_version WHERE account_id = $1 AND template_id = $2
      ORDER BY revision DESC OFFSET $6::int - 1)
  )
  INSERT INTO template_version (account_id, template_id, revision, front, created_at) VALUES ($1, $2, $3, $4, $5)`;

/**
 * Finds the front at a revision: the first row at or after it. Each row stores a front and the last revision with this
 * front.
 */
const findSql = `
  SELECT (SELECT v.front FROM template_version v
    WHERE v.account_id = $1 AND v.template_id = k.template_id AND v.revision >= k.revision
    ORDER BY v.revision LIMIT 1) AS front
  FROM unnest($2::text[], $3::int[]) WITH ORDINALITY AS k(template_id, revision, place) ORDER BY k.place`;
