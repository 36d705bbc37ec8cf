import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import { AppleCertificateListener } from '@passwright/wallet-credentials';
import type { EntityManager } from 'typeorm';
import { PushCircuitsRepository } from './push-circuits.repository.js';

/** Reports which devices use an account's certificate, and if Apple accepts pushes with it. */
@Injectable()
@Listens(AppleCertificateListener)
export class CertificateUseListener extends AppleCertificateListener {
  constructor(private readonly circuits: PushCircuitsRepository) {
    super();
  }

  async countDevices(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM apple_device WHERE account_id = $1 AND pass_type_identifier = $2',
      [accountId, passTypeIdentifier],
    );
    return row?.count ?? 0;
  }

  async findOtherPassType(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<string | null> {
    const [row] = await tx.query<{ passType: string }[]>(
      `SELECT pass_type_identifier AS "passType" FROM apple_device
       WHERE account_id = $1 AND pass_type_identifier <> $2 LIMIT 1`,
      [accountId, passTypeIdentifier],
    );
    return row?.passType ?? null;
  }

  findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null> {
    return this.circuits.find(accountId, fingerprint);
  }
}
