import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { BlobStorage, Scheduled, versionSuffix } from '@passwright/core';
import { MemoryStorage, migratedDatabase, type TestDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import {
  Database,
  DatabaseClock,
  DatabaseClockModule,
  DatabaseModule,
  type HandedOutSnapshot,
  IncarnationModule,
  IncarnationsService,
  noteLostFuture,
} from '@passwright/database';
import { JobsModule } from '../jobs.module.js';
import { IncarnationHandlers } from './incarnation.handlers.js';
import { IncarnationListener, type IncarnationStep } from './incarnation-listener.js';
import { RepairsModule } from './repairs.module.js';

/** Counts to three, one number per step. */
@Injectable()
class Counting extends IncarnationListener {
  override readonly incarnationWork = 'test.count';
  readonly seen: number[] = [];
  failsAt: number | null = null;

  override incarnationStep(_tx: EntityManager, { count = 0 }: { count?: number }): Promise<IncarnationStep> {
    if (this.failsAt === count) return Promise.reject(new Error('the node has died'));
    this.seen.push(count);
    return Promise.resolve({ next: count === 2 ? null : { count: count + 1 } });
  }
}

/** Counts how often the schedule that repairs wrong times has run. */
@Injectable()
class WrongTimes {
  repairs = 0;

  @Scheduled({ name: 'test.repair-times', lane: 'looks' })
  repair(): Promise<void> {
    this.repairs++;
    return Promise.resolve();
  }
}

let database: TestDatabase;
let db: DataSource;
let storage: MemoryStorage;
const nodes: TestingModule[] = [];

beforeEach(async () => {
  database = await migratedDatabase();
  db = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  storage = new MemoryStorage();
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
  await db.destroy();
  await database.drop();
});

async function start({
  run = false,
  ...incarnation
}: { run?: boolean; markEverySeconds?: number } = {}): Promise<TestingModule> {
  const provided = { provide: BlobStorage, useValue: storage };
  @Module({})
  class StorageModule {}
  const node = await Test.createTestingModule({
    imports: [
      { module: StorageModule, global: true, providers: [provided], exports: [BlobStorage] },
      DatabaseModule.forRoot({ url: database.url, poolSize: 3 }),
      DatabaseClockModule,
      JobsModule.forRoot({ url: database.url, run }),
      IncarnationModule.forRoot(incarnation),
      RepairsModule.forRoot({}),
    ],
    providers: [Counting, WrongTimes],
  }).compile();
  nodes.push(node);
  await node.init();
  return node;
}

async function stop(node: TestingModule): Promise<void> {
  nodes.splice(nodes.indexOf(node), 1);
  await node.close();
}

async function current(): Promise<{ id: string; beat: number }> {
  const [row] = await db.query<{ id: string; beat: number }[]>('SELECT id, beat::int FROM incarnation');
  if (!row) throw new Error('There is no incarnation.');
  return row;
}

const queued = async () =>
  (
    await db.query<{ key: string }[]>(
      `SELECT key FROM graphile_worker.jobs WHERE task_identifier LIKE 'incarnation.%' ORDER BY id`,
    )
  ).map(({ key }) => key);

describe('an incarnation (the database between two restores or promotions)', () => {
  it('the first incarnation survives restarts and new nodes, and entity tags have no suffix', async () => {
    const first = await start();
    await start();
    await stop(first);
    await start();
    expect(await current()).toMatchObject({ id: '' });
    expect([versionSuffix(), await queued()]).toEqual(['', []]);
  });

  it('a roll-back to an earlier heartbeat on the same server and timeline begins exactly one incarnation', async () => {
    const [{ beat: earlier }, node] = [await current(), await start()];
    await db.query('SELECT pg_current_xact_id()');
    await node.get(IncarnationsService).look();
    await stop(node);
    expect((await current()).beat).toBeGreaterThan(earlier);
    await db.query('UPDATE incarnation SET beat = $1, beaten_in = NULL', [earlier]);
    await Promise.all([start(), start()]);
    const { id } = await current();
    expect(id).toMatch(/^[0-9a-f]{10}$/);
    expect([versionSuffix(), await queued()]).toEqual([`-${id}`, [`incarnation.began:${id}`]]);
    await start();
    expect((await current()).id).toBe(id);
  });

  it('the heartbeat counts writes, but does not count checks that the database accepts writes', async () => {
    const node = await start();
    const looks = async (change: () => Promise<unknown>) => {
      await node.get(IncarnationsService).look();
      const { beat } = await current();
      await change();
      await node.get(IncarnationsService).look();
      return (await current()).beat - beat;
    };
    // Wait for one quiet moment, because other databases of the server write too.
    while ((await looks(() => node.get(Database).proveWritable())) > 0);
    expect(await looks(() => db.query('SELECT pg_current_xact_id()'))).toBeGreaterThan(0);
  });

  it('a new incarnation begins when a running node finds that the database has lost changes', async () => {
    const node = await start();
    const { beat } = await current();
    for (let n = 0; n < 2; n += 1) {
      await db.query('SELECT pg_current_xact_id()');
      await node.get(IncarnationsService).look();
    }
    storage.blobs.clear();
    await db.query('UPDATE incarnation SET beat = $1', [beat]);
    await node.get(IncarnationsService).look();
    expect((await current()).id).not.toBe('');
  });

  it('a new incarnation begins on another server or timeline, or when the operator begins one', async () => {
    const ids = new Set<string>();
    for (const change of [`server = '1.1'`, 'timeline = timeline + 1']) {
      const node = await start();
      ids.add((await current()).id);
      await db.query(`UPDATE incarnation SET ${change}`);
      await node.get(IncarnationsService).look();
      ids.add((await current()).id);
      await stop(node);
    }
    ids.add(await (await start()).get(IncarnationsService).begin('was restored'));
    expect(ids.size).toBe(4);
  });
});

describe('the mark in the storage', () => {
  afterEach(() => jest.restoreAllMocks());

  const write = () => db.query('SELECT pg_current_xact_id()');
  const look = (node: TestingModule) => node.get(IncarnationsService).look();
  const mark = () => Buffer.from([...storage.blobs.values()][0]?.bytes ?? []).toString();
  const markOf = ({ id, beat }: { id: string; beat: number }) => `${id} ${beat}`;

  it('a node that cannot read its storage begins no incarnation, and compares the mark once it can read', async () => {
    const [{ beat: earlier }, node] = [await current(), await start()];
    await write();
    await look(node);
    await stop(node);
    const before = mark();
    await db.query('UPDATE incarnation SET beat = $1, beaten_in = NULL', [earlier]);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const get = jest.spyOn(storage, 'get').mockRejectedValue(new Error('SlowDown'));
    const blind = await start();
    for (let n = 0; n < 3; n += 1) {
      await write();
      await look(blind);
    }
    expect([await current(), mark()]).toEqual([{ id: '', beat: earlier }, before]);
    expect(warn.mock.calls.filter(([line]) => String(line).includes('SlowDown'))).toHaveLength(1);
    get.mockRestore();
    await look(blind);
    expect((await current()).id).not.toBe('');
  });

  it('a node writes a mark if its storage has none', async () => {
    const node = await start();
    await write();
    await look(node);
    expect(mark()).toBe(markOf(await current()));
  });

  it('a node writes the mark at most once per interval, and once more when it stops', async () => {
    const node = await start({ markEverySeconds: 3600 });
    const put = jest.spyOn(storage, 'put');
    for (let n = 0; n < 3; n += 1) {
      await write();
      await look(node);
    }
    expect(put).not.toHaveBeenCalled();
    await stop(node);
    expect(put).toHaveBeenCalledTimes(1);
    expect(mark()).toBe(markOf(await current()));
  });

  it('a start and a stop do not wait for a storage that does not respond', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    for (const method of ['get', 'put'] as const)
      jest.spyOn(storage, method).mockReturnValue(new Promise<never>(() => undefined));
    const late = pause(15_000, 'late', { ref: false });
    const node = start();
    expect(await Promise.race([node, late])).not.toBe('late');
    expect(await Promise.race([stop(await node), late])).not.toBe('late');
  });
});

describe('a database whose clock was set back while no node ran', () => {
  afterEach(() => jest.restoreAllMocks());

  const aheadHours = async () => {
    const [row] = await db.query<{ hours: number }[]>(
      'SELECT round(extract(epoch FROM beaten_at - now()) / 3600)::int AS hours FROM incarnation',
    );
    return row?.hours;
  };
  const looked = async (node: TestingModule) => {
    await node.get(IncarnationsService).look();
    return node;
  };

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const node = await start();
    await db.query('SELECT pg_current_xact_id()');
    await stop(await looked(node));
    expect(await aheadHours()).toBe(0);
    // Write the time that the heartbeats of a node would write while the clock is ahead.
    await db.query(`UPDATE incarnation SET beaten_at = now() + interval '26 hours'`);
  });

  it('the next node to start repairs waiting jobs once', async () => {
    await db.query(
      `UPDATE graphile_worker._private_jobs SET attempts = 1, run_at = now() + interval '26 hours'
        WHERE id = (SELECT id FROM graphile_worker.add_job('test.repair-times', payload := '{"waits":true}'))`,
    );
    const node = await start({ run: true });
    // Wait for two repairs: one was waiting in the queue, and the node has added another.
    while (node.get(WrongTimes).repairs < 2) await pause(20);
    while ((await aheadHours()) !== 0) await looked(node);
    expect(node.get(DatabaseClock).allowsTimedWork).toBe(false);
    const next = await looked(await start({ run: true }));
    expect(next.get(DatabaseClock).wentBack).toBe(false);
  });

  it('a node that runs no jobs leaves the repair to a node that does', async () => {
    const node = await looked(await looked(await start()));
    expect([node.get(DatabaseClock).wentBack, await aheadHours()]).toEqual([true, 26]);
    await db.query('SELECT pg_current_xact_id()');
    await stop(await looked(node));
    expect(await aheadHours()).toBe(26);
  });
});

describe('a snapshot that the service has handed out', () => {
  it('a snapshot that is ahead of the database begins one incarnation, and has no effect on the next one', async () => {
    const node = await start();
    const tagged = async (ahead: number) => {
      const [row] = await db.query<{ epoch: string; xmax: string }[]>(
        'SELECT history_epoch() AS epoch, pg_snapshot_xmax(pg_current_snapshot()) AS xmax',
      );
      const xmax = Number(row?.xmax) + ahead;
      return { epoch: row?.epoch ?? '', snapshot: `${xmax}:${xmax}:` };
    };
    const note = (tag: HandedOutSnapshot) => db.transaction((tx) => noteLostFuture(tx, tag));
    expect(await note(await tagged(0))).toBe(false);
    const lost = await tagged(1000);
    expect([await note(lost), await note(lost)]).toEqual([true, false]);
    await node.get(IncarnationsService).look();
    const { id } = await current();
    expect(id).not.toBe('');
    expect(await note(lost)).toBe(false);
    await node.get(IncarnationsService).look();
    expect((await current()).id).toBe(id);
  });
});

describe('a listener', () => {
  it('a listener runs each step once, even if a node dies between two steps', async () => {
    const node = await start();
    const incarnation = await node.get(IncarnationsService).begin('was restored');
    const [handlers, counting] = [node.get(IncarnationHandlers), node.get(Counting)];
    const work = { incarnation, name: counting.incarnationWork };
    const never = { signal: new AbortController().signal };
    await handlers.began({ incarnation });
    counting.failsAt = 1;
    await expect(handlers.work(work, never)).rejects.toThrow('the node has died');
    counting.failsAt = null;
    await handlers.began({ incarnation });
    await Promise.all([handlers.work(work, never), handlers.work(work, never)]);
    await handlers.work(work, never);
    expect(counting.seen).toEqual([0, 1, 2]);
  });
});
