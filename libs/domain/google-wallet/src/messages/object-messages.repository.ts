import { Injectable } from '@nestjs/common';
import { isHeldSql } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import type { StoredMessage } from './google-messages.js';

/** The key of an object of an account. */
export interface ObjectKey {
  readonly issuerId: string;
  readonly id: string;
}

/** A claimed object that a transaction has locked. */
export interface LockedObject {
  readonly id: string;
  readonly messages: readonly StoredMessage[];
  /** How often the object was changed. */
  readonly changes: number;
}

/** The new messages of a locked object. */
export interface ReplacedMessages extends ObjectKey {
  readonly messages: readonly StoredMessage[];
  /** The template revision that these messages announce; absent if they do not announce a change of the template. */
  readonly notifiedRevision?: number;
}

/** Queries on the messages of objects. */
@Injectable()
export class ObjectMessagesRepository {
  /** Locks objects of one issuer that are still under the claim that ends at `leasedUntil`. */
  lockClaimed(
    tx: EntityManager,
    { accountId, issuerId, leasedUntil }: { accountId: string; issuerId: string; leasedUntil: Date },
    ids: readonly string[],
  ): Promise<LockedObject[]> {
    return tx.query<LockedObject[]>(lockClaimedSql, [accountId, issuerId, ids, leasedUntil]);
  }

  /**
   * Returns true if a holder has opened the Google link of an existing pass of the template. May also return true at
   * the limits of `isHeldSql`.
   */
  async hasOfTemplate(tx: EntityManager, accountId: string, templateId: string): Promise<boolean> {
    const [row] = await tx.query<[{ held: boolean }]>(ofTemplateSql, [accountId, templateId]);
    return row.held;
  }

  /** Replaces the messages of locked objects. */
  async replace(tx: EntityManager, accountId: string, objects: readonly ReplacedMessages[]): Promise<void> {
    if (objects.length > 0) await tx.query(replaceSql, [accountId, JSON.stringify(objects)]);
  }
}

const ofTemplateSql = isHeldSql('google_resource', 'id');

const lockClaimedSql = `
  SELECT id, COALESCE(messages, '[]') AS messages, changes FROM google_resource
  WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[]) AND leased_until = $4
  ORDER BY id FOR NO KEY UPDATE`;

const replaceSql = `
  UPDATE google_resource r
  SET messages = NULLIF(g.messages, '[]'), told_revision = COALESCE(g."notifiedRevision", r.told_revision)
  FROM json_to_recordset($2::json) AS g("issuerId" text, id text, messages jsonb, "notifiedRevision" int)
  WHERE r.account_id = $1 AND r.issuer_id = g."issuerId" AND r.id = g.id`;
