import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import { GoogleIssuerListener } from '@passwright/wallet-credentials';
import type { EntityManager } from 'typeorm';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';

/** Reports how an account's issuer is used and whether Google accepts writes with its credential. */
@Injectable()
@Listens(GoogleIssuerListener)
export class IssuerUseListener extends GoogleIssuerListener {
  constructor(private readonly breaker: GoogleCircuitBreaker) {
    super();
  }

  async findOtherIssuer(tx: EntityManager, accountId: string, issuerId: string): Promise<string | null> {
    const [row] = await tx.query<{ issuerId: string }[]>(
      `SELECT issuer_id AS "issuerId" FROM google_resource
       WHERE account_id = $1 AND (issuer_id < $2 OR issuer_id > $2) AND sent_hash IS NOT NULL LIMIT 1`,
      [accountId, issuerId],
    );
    return row?.issuerId ?? null;
  }

  findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null> {
    return this.breaker.find(accountId, fingerprint);
  }
}
