import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A table whose column `account_id` names the account of each row. */
export interface AccountTable {
  readonly table: string;
  /** The columns that identify a row within one account; empty if an account has at most one row. */
  readonly key: readonly string[];
  /** The columns that exports omit: secrets and internal columns. `all`: exports omit the table. */
  readonly hidden?: readonly string[] | 'all';
  /** The SQL expressions that exports show in place of columns. `own` names the row. */
  readonly shownAs?: Readonly<Record<string, string>>;
  /**
   * Set if the table has columns with encrypted personal data. Each row is encrypted under the key of the record
   * `<encryptedAs>:<value of recordColumn>`.
   */
  readonly encryptedAs?: string;
  /** The column with the second part of the record's name. Default: `id`. */
  readonly recordColumn?: string;
  /** True if the rows are stored for 30 more days, so that phones and Google can learn of the deletion. */
  readonly staysUntilNotified?: true;
}

/** A deletion step for data outside of the account's tables. It must be repeatable after an interruption. */
export interface AccountWork {
  readonly run: (accountId: string, pause: Pause) => Promise<void>;
}

/** Called between the steps of long work. Throws when the job must stop; another job then continues. */
export type Pause = () => void;

/** The tables and deletion steps that one lib contributes. */
export interface AccountDataPart {
  /**
   * The position of the lib in the order of dependencies. Rows of a higher floor refer to rows of lower floors, so a
   * deletion begins with the highest floor.
   */
  readonly floor: number;
  /** The deletion steps in order. */
  readonly steps: readonly (AccountTable | AccountWork)[];
  /** Called in the transaction that completes the deletion of the content. Adds the jobs that notify the wallets. */
  readonly emptied?: (tx: EntityManager, accountId: string) => Promise<void>;
}

/** Collects the account data of all libs. Each lib registers its part on start-up. */
@Injectable()
export class AccountData {
  private readonly added: AccountDataPart[] = [];

  add(part: AccountDataPart): void {
    this.added.push(part);
  }

  /** Returns the parts of all libs in order of deletion. */
  get parts(): readonly AccountDataPart[] {
    return [...this.added].sort((one, other) => other.floor - one.floor);
  }

  /** Returns the tables of all parts in order of deletion. */
  get tables(): readonly AccountTable[] {
    return this.parts.flatMap(({ steps }) => steps.filter((step) => 'table' in step));
  }
}
