import { Database } from '@passwright/database';
import fc from 'fast-check';
import { DataSource, type QueryRunner } from 'typeorm';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { issued, Phone, plainTemplate } from '../phone.fixtures.js';

/*
 * Opens several transactions that change passes and templates, and ends them in any order. In between, phones request
 * their changed passes. The test checks that each list names exactly the changes that it must name.
 */
let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

interface Target {
  /** A statement whose parameters are `values` and the time of the change. */
  readonly sql: string;
  readonly values: readonly string[];
  /** The passes that the transaction changes. */
  readonly passes: readonly string[];
  readonly deletes: boolean;
}

type Issued = readonly [serial: string, templateId: string];

/** Two phones, two templates with two passes each, and up to three transactions. All random runs share this world. */
class World {
  targets: Target[] = [];
  private readonly phones: readonly { phone: Phone; unreported: Set<string> }[];
  private readonly open: ({ runner: QueryRunner; changed: Set<Target> } | null)[] = [null, null, null];
  private readonly deleted = new Set<string>();
  private changedAt = Date.now();

  private constructor(
    private readonly account: TestAccount,
    private readonly passes: Issued[],
    phones: readonly Phone[],
  ) {
    this.phones = phones.map((phone) => ({ phone, unreported: new Set() }));
  }

  static async make(): Promise<World> {
    const account = await app.account();
    for (const id of ['t0', 't1']) await plainTemplate(app, account, id);
    const passes = await Promise.all(
      ['t0/a', 't0/b', 't1/c', 't1/d'].map(async (address) => {
        return [await issued(app, account, address), address.slice(0, 2)] as const;
      }),
    );
    const world = new World(account, passes, [new Phone(app), new Phone(app)]);
    for (const [serial] of passes) await world.register(serial);
    for (const { phone } of world.phones) expect(await phone.list()).toHaveLength(passes.length);
    world.aim();
    return world;
  }

  /** Replaces the deleted pass, if there is one. Restores the state that `make` creates, without pending changes. */
  async renew(): Promise<void> {
    const at = this.passes.findIndex(([serial]) => this.deleted.has(serial));
    if (at === -1) return;
    const serial = await issued(app, this.account, 't0/a');
    this.passes[at] = [serial, 't0'];
    await this.register(serial);
    for (const { phone } of this.phones) expect(await phone.list()).toEqual([serial]);
    this.aim();
  }

  private async register(serial: string): Promise<void> {
    await Promise.all(this.phones.map(({ phone }) => phone.register(serial).expect(201)));
  }

  private aim(): void {
    const { account, passes } = this;
    const change = (table: string) => `UPDATE ${table} SET updated_at = $3 WHERE account_id = $1`;
    this.targets = [
      ...passes.map(([serial]) => ({
        sql: `${change('pass')} AND serial_number = $2`,
        values: [account.id, serial],
        passes: [serial],
        deletes: false,
      })),
      ...['t0', 't1'].map((id) => ({
        sql: `${change('template')} AND id = $2`,
        values: [account.id, id],
        passes: passes.filter(([, templateId]) => templateId === id).map(([serial]) => serial),
        deletes: false,
      })),
      ...passes.slice(0, 1).map(([serial]) => ({
        sql: `WITH gone AS (DELETE FROM pass WHERE account_id = $1 AND serial_number = $2 RETURNING *)
          INSERT INTO deleted_pass SELECT account_id, serial_number, template_id, id, 'offer', '', $3 FROM gone`,
        values: [account.id, serial],
        passes: [serial],
        deletes: true,
      })),
    ];
  }

  async change(slot: number, target: Target): Promise<void> {
    // Skip a row that the other open transaction has changed, because this change would wait for that transaction.
    const isHeld = ({ values: [, id] }: Target) => id === target.values[1];
    if (this.open.some((other, at) => at !== slot && other && [...other.changed].some(isHeld))) return;
    if (target.passes.some((serial) => target.passes.length === 1 && this.deleted.has(serial))) return;
    const own = (this.open[slot] ??= await this.begin());
    if ([...own.changed].some((other) => other.deletes && isHeld(other))) return;
    // Give each change a later time, because an equal time means no change.
    this.changedAt += 1000;
    await own.runner.query(target.sql, [...target.values, new Date(this.changedAt)]);
    own.changed.add(target);
  }

  async end(slot: number, outcome: 'commit' | 'rollback'): Promise<void> {
    const transaction = this.open[slot];
    if (!transaction) return;
    this.open[slot] = null;
    const { runner, changed } = transaction;
    await (outcome === 'commit' ? runner.commitTransaction() : runner.rollbackTransaction());
    await runner.release();
    if (outcome === 'rollback') return;
    for (const { passes } of changed) {
      const reported = passes.filter((serial) => !this.deleted.has(serial));
      for (const { unreported } of this.phones) reported.forEach((serial) => unreported.add(serial));
    }
    for (const { passes, deletes } of changed) if (deletes) passes.forEach((serial) => this.deleted.add(serial));
  }

  async list(which: number): Promise<void> {
    const { phone, unreported } = this.phones[which % this.phones.length]!;
    expect(await phone.list()).toEqual([...unreported].sort());
    unreported.clear();
  }

  async finish(): Promise<void> {
    for (const slot of [2, 0, 1]) await this.end(slot, 'commit');
    for (const which of [0, 1, 0, 1]) await this.list(which);
  }

  private async begin(): Promise<{ runner: QueryRunner; changed: Set<Target> }> {
    const runner = app.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    return { runner, changed: new Set() };
  }
}

type Step = ['change', slot: number, target: number] | ['commit' | 'rollback', slot: number] | ['list', phone: number];

let world: World | null = null;

async function walk(steps: readonly Step[]): Promise<void> {
  // Start with a new world after a failed run.
  const current = world ?? (await World.make());
  world = null;
  await current.renew();
  try {
    for (const [what, at, target = 0] of steps) {
      if (what === 'change') await current.change(at, current.targets[target]!);
      else if (what === 'list') await current.list(at);
      else await current.end(at, what);
    }
  } finally {
    await current.finish();
  }
  world = current;
}

it('the service lists a change that began first and commits last, even after it has listed later changes', () =>
  walk([
    ['change', 0, 0],
    ['change', 1, 1],
    ['change', 2, 5],
    ['commit', 2],
    ['list', 0],
    ['commit', 1],
    ['list', 0],
    ['commit', 0],
    ['list', 0],
  ]));

it('the service lists every change exactly once, whatever the order in which transactions begin and end', async () => {
  const slot = fc.nat(2);
  const step: fc.Arbitrary<Step> = fc.oneof(
    { arbitrary: fc.tuple(fc.constant('change' as const), slot, fc.nat(6)), weight: 5 },
    { arbitrary: fc.tuple(fc.constantFrom('commit', 'commit', 'rollback' as const), slot), weight: 3 },
    { arbitrary: fc.tuple(fc.constant('list' as const), fc.nat(1)), weight: 3 },
  );
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 40 }), walk), { numRuns: 40 });
}, 120_000);

it('the service does not list passes again because of an open transaction that changes no pass of the phone', async () => {
  const account = await app.account();
  await plainTemplate(app, account);
  const serial = await issued(app, account, 'offer/ada');
  const phone = new Phone(app);
  await phone.register(serial).expect(201);
  await app.get(Database).transaction(async (tx) => {
    await tx.query('UPDATE account SET name = name WHERE id = $1', [account.id]);
    expect(await phone.list()).toEqual([serial]);
    expect(await phone.list()).toEqual([]);
  });
  expect(await phone.list()).toEqual([]);
});
