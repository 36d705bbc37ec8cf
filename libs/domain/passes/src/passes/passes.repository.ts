import { Injectable } from '@nestjs/common';
import { ClearRows, lockPlansOfPass } from '@passwright/accounts';
import { toLimitExceeded } from '@passwright/billing';
import { Database, isUniqueViolation, lockedPage } from '@passwright/database';
import {
  joinedColumns,
  joinTemplate,
  shareTemplate,
  splitTemplate,
  type Template,
  templateUnchanged,
} from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { PassEncryptionService } from '../content/pass-encryption.service.js';
import { canExist, type PassAddress } from '../addresses/pass-address.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { Pass } from '../content/pass.entity.js';
import { PassExists } from './passes.errors.js';

type PassRow = Pass & Omit<IssuedPass, 'pass'>;

/** The ids and codes that passes of a template already use. */
export interface TakenKeys {
  readonly ids: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
}

/** All queries on the table `pass`, except those for lists, for managed passes and for the wallets. */
@Injectable()
export class PassesRepository extends ClearRows<Pass> {
  private select: string | null = null;
  private selectBoth: string | null = null;

  constructor(
    private readonly database: Database,
    private readonly encryption: PassEncryptionService,
  ) {
    super();
  }

  async find(address: PassAddress): Promise<IssuedPass | null> {
    if (!canExist(address)) return null;
    const rows = await this.database.lookUp<PassRow>('pass', this.selectSql(), keyOf(address));
    return this.open(rows);
  }

  async count(accountId: string, templateId: string, most: number): Promise<number> {
    const rows = await this.database.reads.query<[{ passes: number }]>(countSql, [accountId, templateId, most]);
    return rows[0].passes;
  }

  /**
   * Locks a pass against other writers, and takes a shared lock on its template, until `tx` ends. Locks the template
   * first, like all other code.
   */
  async lock(tx: EntityManager, address: PassAddress): Promise<IssuedPass | null> {
    if (!canExist(address)) return null;
    const { accountId, templateId } = address;
    await shareTemplate(tx, accountId, templateId);
    const sql = `${this.selectSql()} FOR UPDATE OF p`;
    return this.open(await this.database.prepared<PassRow>(tx, 'pass-for-update', sql, keyOf(address)), tx);
  }

  /** Works like `lock`, and reads the whole template. */
  async lockWithTemplate(
    tx: EntityManager,
    address: PassAddress,
  ): Promise<{ issued: IssuedPass; template: Template } | null> {
    if (!canExist(address)) return null;
    await shareTemplate(tx, address.accountId, address.templateId);
    const sql = (this.selectBoth ??= `${selectSql(this.database, joinedColumns(this.database))} FOR UPDATE OF p`);
    const [both] = await this.database.prepared<PassRow>(tx, 'pass-and-template', sql, keyOf(address));
    if (!both) return null;
    const { template, row } = splitTemplate(both);
    const issued = await this.open([row], tx);
    return issued && { issued, template };
  }

  /**
   * Runs a transaction whose last statement inserts the pass that `make` returns. The statement is sent together with
   * the COMMIT. @throws PassExists that names the id or the code that is taken, LimitExceeded
   */
  async insertAtEnd(make: (tx: EntityManager) => Promise<IssuedPass>): Promise<IssuedPass> {
    let made: IssuedPass | undefined;
    const work = async (tx: EntityManager) => {
      made = await make(tx);
      await this.database.insertLast(tx, Pass, made.pass);
      return made;
    };
    return this.database.transaction(work).catch((error: unknown) => {
      throw made ? toPassExists(made.pass)(error) : error;
    });
  }

  /** Inserts at most 1000 passes with generated ids and codes in one statement. @throws PassExists, LimitExceeded */
  async insertMany(tx: EntityManager, passes: readonly Pass[]): Promise<void> {
    const [first] = passes;
    if (!first) return;
    const rows = await this.encryption.encryptedAll(tx, passes);
    await this.database.insertMany(tx, Pass, rows, 'serialNumber').catch(toPassExists(first));
  }

  /**
   * Inserts at most 1000 passes in one statement. Skips passes whose id or code is taken.
   * @returns the serial numbers of the inserted passes. @throws LimitExceeded
   */
  async insertNew(tx: EntityManager, passes: readonly Pass[]): Promise<Set<unknown>> {
    const serials = this.database.insertMany(tx, Pass, passes, 'serialNumber', 'ON CONFLICT DO NOTHING');
    return new Set(await serials.catch(toLimitExceeded));
  }

  /**
   * Works like `insertNew`, but in one round trip. Inserts nothing if the template has changed. Returns null if more
   * than one round trip is needed.
   */
  async insertIfUnchanged(template: Template, passes: readonly Pass[]): Promise<unknown[] | null> {
    const condition = templateUnchanged(template);
    return this.database.implicit.insertMany(Pass, passes, 'serialNumber', condition).catch(toLimitExceeded);
  }

  /** Returns which of these ids and codes are already taken in the template. */
  async taken(
    tx: EntityManager,
    accountId: string,
    templateId: string,
    passes: readonly { readonly id?: string | null; readonly code: string | null }[],
  ): Promise<TakenKeys> {
    const [ids, codes] = [passes.flatMap(({ id }) => id ?? []), passes.flatMap(({ code }) => code ?? [])];
    const rows =
      ids.length + codes.length === 0
        ? []
        : await this.database.prepared<{ id: string | null; code: string | null }>(tx, 'taken-passes', takenSql, [
            ...[accountId, templateId, ids, codes],
          ]);
    return { ids: new Set(rows.flatMap(({ id }) => id ?? [])), codes: new Set(rows.flatMap(({ code }) => code ?? [])) };
  }

  /**
   * Writes a locked pass. If the code is unchanged, the statement cannot conflict with another pass, so it is sent
   * together with the next statement of `tx`. @throws PassExists if the new code is taken
   */
  async update(tx: EntityManager, pass: Pass, storedCode: string): Promise<void> {
    const [encrypted = pass] = await this.encryption.encryptedAll(tx, [pass]);
    const { accountId, templateId, id, ...columns } = encrypted;
    const key = { accountId, templateId, id };
    await this.database.update(tx, Pass, key, columns, pass.code === storedCode).catch(toPassExists(pass));
  }

  /** Locks unencrypted member passes of all accounts that have a key. Only the scheduled encryption uses this. */
  override lockInClear(tx: EntityManager, after: Pass | null, limit: number): Promise<Pass[]> {
    const from = { accountId: after?.accountId ?? '', serialNumber: after?.serialNumber ?? '' };
    const read = (account?: string) =>
      tx
        .createQueryBuilder(Pass, 'pass')
        .where('(pass.accountId, pass.serialNumber) > (:accountId, :serialNumber)', from)
        .andWhere(`pass.managedBy = 'member' AND pass.personal IS NULL`)
        .andWhere(this.hasKey('pass', account), { account })
        .orderBy('pass.accountId')
        .addOrderBy('pass.serialNumber')
        .limit(limit);
    return lockedPage(this.database, read, (rows) => rows.setLock('for_no_key_update').setOnLocked('skip_locked'));
  }

  /** Encrypts a locked pass without notifying wallets and listeners. */
  override async encrypt(tx: EntityManager, pass: Pass): Promise<null> {
    const [encrypted = pass] = await this.encryption.encryptedAll(tx, [pass]);
    const { accountId, templateId, id, primaryValue, personal } = encrypted;
    await tx.update(Pass, { accountId, templateId, id }, { primaryValue, personal });
    return null;
  }

  /** Replaces the locked pass with a tombstone. @param deletedAt a time after all changes */
  async delete(tx: EntityManager, { accountId, templateId, id, serialNumber }: Pass, deletedAt: Date): Promise<void> {
    await tx.query(
      `WITH plan AS MATERIALIZED (${lockPlansOfPass('$1', '$2', '$3')}), gone AS (
         DELETE FROM pass WHERE account_id = $1 AND template_id = $2 AND id = $3 AND (SELECT count(*) FROM plan) >= 0
         RETURNING template_type, created_at
       )
       INSERT INTO deleted_pass
         (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at, created_at)
       SELECT $1, $4, $2, $3, gone.template_type, template.issuer_name, $5::timestamptz, gone.created_at
       FROM gone, template WHERE template.account_id = $1 AND template.id = $2`,
      [accountId, templateId, id, serialNumber, deletedAt],
    );
  }

  private selectSql(): string {
    return (this.select ??= selectSql(this.database));
  }

  private async open([row]: readonly PassRow[], tx?: EntityManager): Promise<IssuedPass | null> {
    if (!row) return null;
    const { archivedAt, templateUpdatedAt, ...columns } = row;
    const pass = Object.assign(new Pass(), columns);
    await this.encryption.openAll([pass], tx);
    return { pass, archivedAt, templateUpdatedAt };
  }
}

const keyOf = ({ accountId, templateId, passId }: PassAddress) => [accountId, templateId, passId];

/** Returns the statement that reads one pass with the state of its template. @param also additional columns */
function selectSql(database: Database, ...also: string[]): string {
  const columns = [
    database.columnsOf(Pass, 'p', '$1'),
    `t.archived_at AS "archivedAt", t.updated_at AS "templateUpdatedAt"`,
    ...also,
  ];
  return `SELECT ${columns.join(', ')} FROM pass p ${joinTemplate('$1', 'p.template_id')}
    WHERE p.account_id = $1 AND p.template_id = $2 AND p.id = $3`;
}

const countSql = `
  SELECT count(*)::int AS passes FROM (SELECT FROM pass WHERE account_id = $1 AND template_id = $2 LIMIT $3) AS found`;

const takenSql = `
  SELECT id, NULL AS code FROM pass WHERE account_id = $1 AND template_id = $2 AND id = ANY ($3)
  UNION ALL SELECT NULL, code FROM pass WHERE account_id = $1 AND template_id = $2 AND code = ANY ($4)`;

function toPassExists({ templateId, id, code }: Pass) {
  return (error: unknown): never => {
    if (isUniqueViolation(error, 'pass_pkey', ['account_id', 'template_id', 'id'])) {
      throw new PassExists('id', templateId, id);
    }
    if (isUniqueViolation(error, 'pass_code_key', ['account_id', 'template_id', 'code'])) {
      throw new PassExists('code', templateId, code);
    }
    return toLimitExceeded(error);
  };
}
