import { randomId } from '@passwright/core';
import { testDatabase } from '@passwright/testing';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { Database } from '../database.js';
import { SnakeNaming } from '../snake-naming.js';
import { isUniqueViolation } from '../unique-violation.js';

@Entity('thing')
class Thing {
  @PrimaryColumn({ type: 'text' })
  ownerId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'jsonb' })
  parts!: unknown;

  @Column({ type: 'jsonb', nullable: true })
  note!: unknown;

  @Column({ type: 'text', array: true })
  tags!: string[];

  @Column({ type: 'bigint' })
  number!: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  createdAt!: Date | null;

  @Column({ type: 'integer', default: 7 })
  order!: number;
}

let dataSource: DataSource;
let database: Database;
beforeAll(async () => {
  const { url } = await testDatabase();
  const namingStrategy = new SnakeNaming();
  const options = { poolSize: 1, entities: [Thing], namingStrategy, synchronize: false };
  dataSource = await new DataSource({ type: 'postgres', url, ...options }).initialize();
  database = new Database(dataSource);
  await dataSource.query(
    `CREATE TABLE thing (owner_id text, id text, parts jsonb NOT NULL, note jsonb, tags text[] NOT NULL, number bigint NOT NULL,
       created_at timestamptz(3), "order" integer NOT NULL DEFAULT 7, PRIMARY KEY (owner_id, id))`,
  );
});
afterAll(() => dataSource.destroy());

function aThing(changes: Partial<Thing> = {}): Thing {
  return Object.assign(new Thing(), {
    ownerId: 'ada',
    id: randomId(),
    parts: [{ it: "'s" }, null, 'text'],
    note: null,
    tags: ['a"b', 'c,d', ''],
    number: '9007199254740993',
    createdAt: new Date('2026-11-22T08:00:00.123Z'),
    order: 3,
    ...changes,
  });
}

const inserted = (thing: Thing) => database.transaction((tx) => database.insert(tx, Thing, thing));

describe('a row', () => {
  it.each([
    ['values of every kind', {}],
    ['null where null is allowed', { createdAt: null }],
    ['JSON that is an object, a text or a number', { parts: { a: [1] }, note: 'text' }],
    ['JSON that is a number', { parts: 5 }],
    ['an empty list', { parts: [], tags: [] }],
  ])('findByKey returns an inserted row unchanged, as TypeORM does: %s', async (_what, changes) => {
    const thing = aThing(changes);
    await inserted(thing);
    const found = await database.findByKey(Thing, { ownerId: 'ada', id: thing.id });
    expect(found).toStrictEqual(thing);
    expect(found).toStrictEqual(await dataSource.manager.findOneBy(Thing, { id: thing.id }));
  });

  it.each([
    ['values of every kind', { parts: { a: [1] }, tags: ['x'], number: '12', order: 5 }],
    ['null where null is allowed', { createdAt: null, note: null }],
    ['JSON that is a text', { note: 'text' }],
  ])('Database.update writes the given columns of one row and no others: %s', async (_what, changes) => {
    const [thing, other] = [aThing(), aThing()];
    await inserted(thing);
    await inserted(other);
    const key = { ownerId: 'ada', id: thing.id };
    await database.transaction((tx) => database.update(tx, Thing, key, { createdAt: undefined, ...changes }));
    expect(await database.findByKey(Thing, key)).toStrictEqual(Object.assign(aThing(), thing, changes));
    expect(await database.findByKey(Thing, { ownerId: 'ada', id: other.id })).toStrictEqual(other);
  });

  it('Database.update names the constraint that rejects the new values', async () => {
    const [thing, other] = [aThing(), aThing()];
    await inserted(thing);
    await inserted(other);
    const failure: unknown = await database
      .transaction((tx) => database.update(tx, Thing, { ownerId: 'ada', id: thing.id }, { id: other.id }))
      .catch((error: unknown) => error);
    expect(isUniqueViolation(failure, 'thing_pkey')).toBe(true);
  });

  it('Database.insert uses the default of a column that the row omits', async () => {
    const { order: _, ...thing } = aThing();
    await inserted(Object.assign(new Thing(), thing, { order: undefined }));
    expect((await database.findByKey(Thing, { ownerId: 'ada', id: thing.id }))?.order).toBe(7);
  });

  it('findByKey returns null if the row belongs to another owner', async () => {
    const thing = aThing();
    await inserted(thing);
    expect(await database.findByKey(Thing, { ownerId: 'bob', id: thing.id })).toBeNull();
  });

  it('findByKey shows a row to its own transaction before others see it', async () => {
    const thing = aThing();
    const key = { ownerId: 'ada', id: thing.id };
    await database.transaction(async (tx) => {
      await database.insert(tx, Thing, thing);
      expect(await database.findByKey(Thing, key, tx)).toStrictEqual(thing);
    });
    expect(await database.findByKey(Thing, key)).toStrictEqual(thing);
  });

  it('Database.insert names the constraint that rejects a second row with the same key', async () => {
    const thing = aThing();
    await inserted(thing);
    const failure: unknown = await inserted(thing).catch((error: unknown) => error);
    expect(isUniqueViolation(failure, 'thing_pkey')).toBe(true);
  });

  it('Database.insert rejects a property that the entity does not have', async () => {
    const thing = Object.assign(aThing(), { colour: 'red' });
    await expect(inserted(thing)).rejects.toThrow('Thing has no column colour');
  });
});

describe('many rows', () => {
  const insertedMany = (things: Thing[], ...rest: [onConflict?: 'ON CONFLICT DO NOTHING']) =>
    database.transaction((tx) => database.insertMany(tx, Thing, things, 'id', ...rest));

  it('insertMany stores many rows unchanged, with values of every type, nulls and any JSON', async () => {
    const kinds = [{}, { createdAt: null }, { parts: { a: [1] }, note: 'text' }, { parts: 5 }, { parts: [], tags: [] }];
    const things = kinds.map((changes) => aThing(changes));
    expect(await insertedMany(things)).toEqual(things.map(({ id }) => id));
    for (const thing of things) {
      expect(await database.findByKey(Thing, { ownerId: 'ada', id: thing.id })).toStrictEqual(thing);
    }
  });

  it('insertMany uses the default of a column that its rows omit', async () => {
    const things = [aThing(), aThing()].map(({ order: _, ...thing }) => Object.assign(new Thing(), thing));
    await insertedMany(things.map((thing) => Object.assign(thing, { order: undefined })));
    for (const { id } of things) expect((await database.findByKey(Thing, { ownerId: 'ada', id }))?.order).toBe(7);
  });

  it('insertMany inserts all rows or none, and its error names the violated constraint', async () => {
    const [known, other] = [aThing(), aThing()];
    await inserted(known);
    const failure: unknown = await insertedMany([other, known]).catch((error: unknown) => error);
    expect(isUniqueViolation(failure, 'thing_pkey')).toBe(true);
    expect(await database.findByKey(Thing, { ownerId: 'ada', id: other.id })).toBeNull();
  });

  it('insertMany with ON CONFLICT DO NOTHING skips rows whose key exists', async () => {
    const [known, other] = [aThing(), aThing()];
    await inserted(known);
    expect(await insertedMany([known, other, other], 'ON CONFLICT DO NOTHING')).toEqual([other.id]);
    expect(await insertedMany([])).toEqual([]);
  });
});

it('each connection plans a statement once, under one name', async () => {
  for (let time = 0; time < 3; time += 1) {
    await inserted(aThing());
    await database.findByKey(Thing, { ownerId: 'ada', id: 'x' });
  }
  const names = await dataSource.query<{ name: string }[]>('SELECT name FROM pg_prepared_statements');
  expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
  expect(names.filter(({ name }) => name.includes('select thing'))).toHaveLength(1);
});
