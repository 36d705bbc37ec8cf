import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A table with rows of accounts, in its column `account_id`. */
export interface AccountTable {
  readonly table: string;
  /** The columns that tell the rows of one account apart; none where an account has one row at most. */
  readonly key: readonly string[];
  /** Columns that no export shows: secrets, and what the database keeps for itself. `all`: the rows are not exported. */
  readonly hidden?: readonly string[] | 'all';
  /** Rows have personal data in encrypted columns, under the key of the record `<encryptedAs>:<recordColumn>`. */
  readonly encryptedAs?: string;
  /** Default: id. */
  readonly recordColumn?: string;
  /** The rows stay until phones and Google have had the time to learn of the deletion. */
  readonly staysUntilTold?: true;
}

/** Deletes what is not a table by itself. Run again it goes on with what is left. */
export interface AccountWork {
  readonly run: (accountId: string, pause: Pause) => Promise<void>;
}

/** Called between the steps of long work; throws when another run is to go on. */
export type Pause = () => void;

/** A part of what an account has, from the lib that owns the tables. */
export interface AccountDataPart {
  /** Higher ones go first, as their rows refer to those of lower ones. */
  readonly floor: number;
  /** In the order of deletion. */
  readonly steps: readonly (AccountTable | AccountWork)[];
  /** Called in the transaction that ends the deletion of the content: adds the jobs that tell the wallets. */
  readonly emptied?: (tx: EntityManager, accountId: string) => Promise<void>;
}

/** Collects what accounts have, over all libs. Each lib adds its part when it starts. */
@Injectable()
export class AccountData {
  private readonly added: AccountDataPart[] = [];

  add(part: AccountDataPart): void {
    this.added.push(part);
  }

  /** In the order of deletion. */
  get parts(): readonly AccountDataPart[] {
    return [...this.added].sort((one, other) => other.floor - one.floor);
  }

  /** In the order of deletion. */
  get tables(): readonly AccountTable[] {
    return this.parts.flatMap(({ steps }) => steps.filter((step) => 'table' in step));
  }
}
