import { Injectable } from '@nestjs/common';
import { Clock, type Principal, requestOrigin, SameKeyQueue } from '@passwright/core';
import { Database, repeatedRead } from '@passwright/database';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { AccountData, type AccountTable } from './account-data.service.js';
import { AccountRowsRepository, type ShownRow } from './account-rows.repository.js';

type Row = Record<string, unknown>;

/** Exports everything that is stored about an account, except secrets. */
@Injectable()
export class AccountExportService {
  /** Runs the exports of one founder's accounts one after another. An account without a founder has its own queue. */
  private readonly queue = new SameKeyQueue();

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly members: AccountMembersService,
    private readonly data: AccountData,
    private readonly keys: PersonalData,
    private readonly rows: AccountRowsRepository,
    private readonly auditLog: AuditLog,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the exports of one founder's accounts one after another. Each export begins after the response of the previous
   * one has ended.
   */
  inTurn<T>({ accountId }: Principal, work: () => Promise<T>): Promise<T> {
    const { share = accountId, gone } = requestOrigin() ?? {};
    return this.queue.run(share, work, gone);
  }

  /** Yields the text of one JSON object in parts, so that memory use does not grow with the number of rows. */
  async *export(accountId: string): AsyncGenerator<string> {
    const target = { kind: 'account', id: accountId };
    await this.database.transaction((tx) =>
      this.auditLog.record(tx, { accountId, action: 'account.exported', target }),
    );
    const members = await this.members.list(accountId);
    const account = { ...(await this.accounts.get(accountId)), members };
    yield `${JSON.stringify({ exportedAt: this.clock.now(), account }).slice(0, -1)},"tables":{`;
    let tableSeparator = '';
    for (const table of this.data.tables) {
      if (table.hidden === 'all') continue;
      yield `${tableSeparator}${JSON.stringify(table.table)}:[`;
      tableSeparator = ',';
      let separator = '';
      for await (const rows of this.rows.read(accountId, table)) {
        if (rows.length === 0) continue;
        yield separator + (await this.textOf(accountId, table, rows));
        separator = ',';
      }
      yield ']';
    }
    yield '}}';
  }

  private async textOf(accountId: string, table: AccountTable, rows: readonly ShownRow[]): Promise<string> {
    const texts: string[] = [];
    for (const { shown, salt } of rows) {
      texts.push(JSON.stringify(await this.decrypted(accountId, table, shown, salt)));
    }
    return texts.join(',');
  }

  /** Decrypts a row. A row stays encrypted if its key was deleted, for example by an erasure. */
  private async decrypted(
    accountId: string,
    { table, encryptedAs, recordColumn = 'id' }: AccountTable,
    row: Row,
    salt: string | null,
  ): Promise<Row> {
    const { personal, personal_message, ...clear } = row;
    if (encryptedAs === undefined || salt === null) return clear;
    const key = await repeatedRead(() => this.keys.find(accountId));
    if (!key) return clear;
    const record = { id: `${encryptedAs}:${String(row[recordColumn])}`, salt: Buffer.from(salt, 'hex') };
    const opened = Object.entries({ personal, personal_message }).map(([column, bytes]) =>
      typeof bytes === 'string' ? key.open<Row>(record, `${table}.${column}`, Buffer.from(bytes.slice(2), 'hex')) : {},
    );
    return Object.assign(clear, ...opened) as Row;
  }
}
