import { testDatabase } from '@passwright/testing';
import { Column, DataSource, Entity, type EntityManager, PrimaryColumn, VirtualColumn } from 'typeorm';
import { lockedPageOf, lockedRows } from './locked-page.js';

@Entity('paged')
class Paged {
  @PrimaryColumn('text', { name: 'account_id' })
  accountId!: string;

  @PrimaryColumn('text')
  id!: string;

  @Column('boolean')
  wanted!: boolean;

  @VirtualColumn({ type: 'text', query: (alias) => `SELECT ${alias}.account_id || 'salt'` })
  salt!: string;
}

const pageSql = `
  SELECT account_id AS "accountId", id FROM paged WHERE (account_id, id) > ($1, $2) AND wanted
  ORDER BY account_id, id LIMIT 3 FOR UPDATE`;

let dataSource: DataSource;
beforeAll(async () => {
  const { url } = await testDatabase();
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 3, entities: [Paged] }).initialize();
  await dataSource.query(`CREATE TABLE paged (account_id text, id text, wanted boolean DEFAULT true);
    INSERT INTO paged VALUES ('a', '1'), ('a', '2'), ('b', '1'), ('b', '2')`);
});
afterAll(() => dataSource.destroy());

const pageOf = (tx: EntityManager, isDistributed: boolean, after = ['', '']) =>
  lockedPageOf<{ accountId: string; id: string }>({ isDistributed }, tx, pageSql, after);
const names = (rows: readonly { accountId: string; id: string }[]) => rows.map(({ accountId, id }) => accountId + id);

it('lockedPage, which works account by account on Citus, locks the same rows there as one statement elsewhere', async () => {
  for (const isDistributed of [false, true]) {
    await dataSource.transaction(async (tx) => {
      const { page, locked } = await pageOf(tx, isDistributed);
      expect([names(page), names(locked)]).toEqual([
        ['a1', 'a2', 'b1'],
        ['a1', 'a2', 'b1'],
      ]);
      const free = await dataSource.query(`SELECT account_id || id AS row FROM paged FOR UPDATE SKIP LOCKED`);
      expect(free).toEqual([{ row: 'b2' }]);
      expect(names((await pageOf(tx, isDistributed, ['b', '1'])).page)).toEqual(['b2']);
    });
  }
});

it('a row that stops matching before lockedPage locks it is in the page, but not among the locked rows', async () => {
  const { page, locked } = await dataSource.transaction((tx) => {
    const query = async (sql: string, values: unknown[]): Promise<unknown> => {
      const rows: unknown = await tx.query(sql, values);
      // Another transaction changes the row after the page has been read.
      if (!sql.includes('FOR UPDATE')) await dataSource.query(`UPDATE paged SET wanted = false WHERE id = '2'`);
      return rows;
    };
    return pageOf({ query } as unknown as EntityManager, true);
  });
  expect([names(page), names(locked)]).toEqual([
    ['a1', 'a2', 'b1'],
    ['a1', 'b1'],
  ]);
});

it('lockedRows returns the same rows with two statements on Citus as with one statement elsewhere', async () => {
  await dataSource.query(`INSERT INTO paged VALUES ('c', '1'), ('c', '2'), ('c', '3')`);
  const rowsOf = (tx: EntityManager, isDistributed: boolean) =>
    lockedRows(
      { isDistributed },
      () => tx.createQueryBuilder(Paged, 'paged').where({ accountId: 'c', wanted: true }).orderBy('paged.id').limit(1),
      (rows) => rows.setLock('pessimistic_write').setOnLocked('skip_locked'),
    );
  for (const isDistributed of [false, true]) {
    await dataSource.transaction(async (first) => {
      const [row, ...others] = await rowsOf(first, isDistributed);
      expect([row, others]).toEqual([{ accountId: 'c', id: '1', wanted: true, salt: 'csalt' }, []]);
      expect(await dataSource.transaction((second) => rowsOf(second, isDistributed))).toMatchObject([{ id: '2' }]);
    });
  }
});
