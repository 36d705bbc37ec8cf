import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { GoogleCallback } from '@passwright/core';
import { Database, deleteSome } from '@passwright/database';
import { accountOfSerialNumber } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import type { ResourceKey } from '../sync/google-resource.js';

/** Nonces are kept this long after their expiry, because clocks differ. */
const margin = "interval '1 hour'";

/** All queries on the table `google_callback`, and the statement that increments the counters. */
@Injectable()
export class GoogleCallbacksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the account that owns the object; null if the object does not have this class. Needs no account from the
   * caller, because the signed callback is the credential.
   */
  async findOwner(
    issuerId: string,
    id: string,
    ofClass: { readonly issuerId: string; readonly id: string },
  ): Promise<string | null> {
    type Row = { account_id: string };
    const values = [id, issuerId, ofClass.id, ofClass.issuerId];
    const accountId = accountOfSerialNumber(id);
    const [row] = accountId
      ? await this.database.lookUp<Row>('google-owner', ownerInAccountSql, [...values, accountId])
      : await this.database.lookUp<Row>('google-owner-without-account', ownerSql, values);
    return row?.account_id ?? null;
  }

  /** @returns false if the nonce is already stored */
  async insertNonce(tx: EntityManager, accountId: string, nonce: string, expiresAt: Date): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `INSERT INTO google_callback (account_id, nonce_hash, expires_at) VALUES ($1, $2, $3)
       ON CONFLICT (account_id, nonce_hash) DO NOTHING RETURNING account_id`,
      [accountId, createHash('sha256').update(nonce).digest(), expiresAt],
    );
    return rows.length > 0;
  }

  async count(
    tx: EntityManager,
    { accountId, issuerId, id }: ResourceKey,
    event: GoogleCallback['event'],
  ): Promise<void> {
    const counter = event === 'save' ? 'saves' : 'removals';
    await tx.query(
      `UPDATE google_resource SET ${counter} = ${counter} + 1 WHERE account_id = $1 AND issuer_id = $2 AND id = $3`,
      [accountId, issuerId, id],
    );
  }

  deleteExpired(tx: EntityManager, now: Date, limit: number): Promise<number> {
    const condition = `old.expires_at < $1::timestamptz - ${margin}`;
    return deleteSome(
      this.database,
      tx,
      { table: 'google_callback', key: ['account_id', 'nonce_hash'], condition, values: [now] },
      limit,
    );
  }
}

export const ownerSql = `
  SELECT o.account_id FROM google_resource o
  JOIN google_resource c ON c.account_id = o.account_id AND c.issuer_id = $4 AND c.id = $3 AND c.serial_number IS NULL
  WHERE o.id = $1 AND o.issuer_id = $2 AND o.serial_number IS NOT NULL AND c.template_id = o.template_id`;
export const ownerInAccountSql = `${ownerSql} AND o.account_id = $5`;
