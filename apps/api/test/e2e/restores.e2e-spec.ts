import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DebianPostgres, debianPrograms, jobsIdle } from '@passwright/testing';
import { DataSource } from 'typeorm';
import {
  AppleWalletWorld,
  type Held,
  mustBe,
  setPoints,
  shown,
  shownField,
  showsPoints,
  until,
} from '../support/apple-wallet-world.js';
import { operatorRun } from '../support/operator-run.js';
import { Account } from '../support/running-service.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('restores.e2e-spec.ts is skipped: install the Debian package postgresql.\n');
const describeRestores = isInstalled ? describe : describe.skip;

jest.setTimeout(240_000);

describeRestores('every phone shows the true state after the database has lost its newest changes', () => {
  let world: AppleWalletWorld;
  let server: DebianPostgres;
  let dir: string;
  const others: DebianPostgres[] = [];

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'passwright restore '));
    server = await DebianPostgres.startCopy('migrated');
    world = await AppleWalletWorld.withoutNodes();
  });
  afterEach(async () => {
    await world.stop();
    for (const each of [server, ...others.splice(0)]) each.remove();
    rmSync(dir, { recursive: true });
  });

  const startOn = ({ url }: DebianPostgres) => world.addNode({ DATABASE_URL: url, DATA_DIR: join(dir, 'data') });
  const environmentOf = ({ url }: DebianPostgres) => ({
    PATH: process.env.PATH ?? '',
    ...world.environment,
    DATABASE_URL: url,
    DATA_DIR: join(dir, 'data'),
  });

  async function operator(on: DebianPostgres, ...words: string[]): Promise<void> {
    const { code, err } = await operatorRun(words, environmentOf(on));
    if (code !== 0) throw new Error(err);
  }

  /** Creates two phones with one pass each. Waits until all pushes are sent and recorded. */
  async function twoPhones(): Promise<Held[]> {
    const account = await world.newAccount();
    const held = [await world.hold(account, 'offer'), await world.hold(account, 'offer')];
    for (const each of held) await setPoints(each, '1');
    for (const each of held) await showsPoints(each, '1');
    await settled(server);
    return held;
  }

  /** Makes changes that the restore will undo, and waits until both phones show them. */
  async function changesToLose(held: Held[]): Promise<void> {
    const [voided, changed] = current(held);
    if (!voided || !changed) throw new Error('Two phones are needed.');
    mustBe(200, await voided.account.post(`${voided.path}/void`));
    await setPoints(changed, '99');
    await until(
      () => [shown(voided).voided, shownField(changed, 'points')],
      ([isVoid, points]) => isVoid === true && points === '99',
    );
    await settled(server);
  }

  /** Waits until no job is running or due, and the phones have processed their pushes. */
  async function settled({ url }: DebianPostgres): Promise<void> {
    await jobsIdle(url);
    await world.delivery.settled();
  }

  /** Checks that both phones show the restored content after one push each, and accept later changes. */
  async function heal(held: Held[], on: DebianPostgres, pushedBefore: number[]): Promise<void> {
    for (const each of held) await showsPoints(each, '1');
    await until(
      () => held.map((each) => shown(each).voided ?? false),
      (voided) => !voided.includes(true),
    );
    await settled(on);
    expect(held.map((each, at) => world.statusesOf(each).slice(pushedBefore[at]))).toEqual([[200], [200]]);
    for (const each of current(held)) await setPoints(each, '2');
    for (const each of held) await showsPoints(each, '2');
  }

  /** Returns the passes with an account that sends requests to the current node. */
  const current = (held: Held[]): Held[] =>
    held.map(({ account: { email, password, id, token, refreshToken }, ...rest }) => {
      return { ...rest, account: new Account(world.service, email, password, id, token, refreshToken) };
    });

  /** Waits until the counter `incarnation.beat` grows, within a second after a write. */
  async function nextBeat(): Promise<void> {
    const beat = async () => {
      const [row] = await world.sql<{ beat: string }>('SELECT beat, pg_current_xact_id() FROM incarnation');
      return Number(row?.beat);
    };
    const last = await beat();
    await until(beat, (now) => now > last);
  }

  const pushes = (held: Held[]) => held.map((each) => world.statusesOf(each).length);

  it('phones recover after a backup is restored into the same server', async () => {
    await startOn(server);
    const held = await twoPhones();
    await operator(server, 'backup', join(dir, 'backup'));
    await changesToLose(held);
    await world.stopNode();
    const before = pushes(held);
    await operator(server, 'restore', join(dir, 'backup'));
    await startOn(server);
    await heal(held, server, before);
  });

  it('phones recover after a backup is restored into a new server', async () => {
    await startOn(server);
    const held = await twoPhones();
    await operator(server, 'backup', join(dir, 'backup'));
    await changesToLose(held);
    await world.stopNode();
    const before = pushes(held);
    const fresh = await DebianPostgres.start();
    others.push(fresh);
    await operator(fresh, 'restore', join(dir, 'backup'));
    await startOn(fresh);
    await heal(held, fresh, before);
  });

  it('phones get pushes and old event cursors are rejected after the operator reports a restored database', async () => {
    const node = await startOn(server);
    const held = await twoPhones();
    const [{ account }] = held as [Held];
    const { body: webhook } = mustBe(201, await account.post('/v1/webhooks', { types: ['pass.created'] }));
    await world.issue(account, 'offer', 'ada');
    await settled(server);
    const events = (cursor?: string) => {
      const query = cursor === undefined ? '' : `?cursor=${cursor}`;
      return node.request('GET', `/v1/webhooks/${webhook.id}/events${query}`, { token: account.token });
    };
    const incarnation = async () => (await world.sql<{ id: string }>('SELECT id FROM incarnation'))[0]?.id;
    const { body: page } = mustBe(200, await events());
    expect(page.data).toHaveLength(1);
    mustBe(200, await events(page.cursor));
    const [before, pushedBefore] = [await incarnation(), pushes(held)];
    await operator(server, 'restored');
    expect(await incarnation()).not.toBe(before);
    const rejected = await events(page.cursor);
    expect([rejected.status, rejected.body.code]).toEqual([400, 'validation_failed']);
    expect(rejected.body.message).toContain('start again without it');
    await heal(held, server, pushedBefore);
    const again = mustBe(200, await events());
    expect(again.body.data).toEqual(page.data);
    mustBe(200, await events(again.body.cursor));
  });

  it('phones recover after an unannounced roll-back to a copy of the data folder', async () => {
    await startOn(server);
    const held = await twoPhones();
    await world.stopNode();
    server.stop();
    server.snapshot();
    server.start();
    await startOn(server);
    await changesToLose(held);
    await world.stopNode();
    const before = pushes(held);
    server.crash();
    server.rollBack();
    server.start();
    await startOn(server);
    await heal(held, server, before);
  });

  it('phones recover after a roll-back under a running node', async () => {
    await startOn(server);
    const held = await twoPhones();
    await world.stopNode();
    server.stop();
    server.snapshot();
    server.start();
    await startOn(server);
    await changesToLose(held);
    await nextBeat();
    const before = pushes(held);
    server.crash();
    server.rollBack();
    server.start();
    await heal(held, server, before);
  });

  it('phones recover after a failover to a standby that had not received the last changes', async () => {
    await startOn(server);
    const held = await twoPhones();
    const standby = await DebianPostgres.standbyOf(server);
    others.push(standby);
    const onStandby = await new DataSource({ type: 'postgres', url: standby.url }).initialize();
    await onStandby.query(`ALTER SYSTEM SET primary_conninfo = ''`);
    await onStandby.query('SELECT pg_reload_conf()');
    await until(
      () => onStandby.query<unknown[]>('SELECT FROM pg_stat_wal_receiver'),
      (receivers) => receivers.length === 0,
    );
    await changesToLose(held);
    await world.stopNode();
    server.crash();
    const before = pushes(held);
    standby.promote();
    await onStandby.destroy();
    await startOn(standby);
    await heal(held, standby, before);
  });
});
