import { NotReady } from '@passwright/core';
import { Database } from '@passwright/database';
import { DebianPostgres, debianPrograms } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { UpdatedPassesRepository } from './updated-passes.repository.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('standby.int-spec.ts is skipped: install the Debian package postgresql.\n');
const describeStandby = isInstalled ? describe : describe.skip;

jest.setTimeout(120_000);

describeStandby('tags of the list of changes', () => {
  const device = { passTypeIdentifier: 'pass.test', deviceLibraryIdentifier: 'd' };
  let primary: DebianPostgres;
  let standby: DebianPostgres;
  let onPrimary: DataSource;
  let onStandby: DataSource;

  beforeAll(async () => {
    primary = await DebianPostgres.startCopy('migrated');
    onPrimary = await new DataSource({ type: 'postgres', url: primary.url }).initialize();
    standby = await DebianPostgres.standbyOf(primary);
    onStandby = await new DataSource({ type: 'postgres', url: standby.url }).initialize();
  });
  afterAll(async () => {
    await onStandby.destroy();
    await onPrimary.destroy();
    primary.remove();
    standby.remove();
  });

  const find = (on: DataSource, since: Parameters<UpdatedPassesRepository['find']>[1] = null) =>
    new UpdatedPassesRepository(new Database(on)).find(device, since);

  it('503 not_ready for a list of changed passes from a standby, whose snapshots do not show open transactions', async () => {
    await expect(find(onStandby)).rejects.toBeInstanceOf(NotReady);
  });

  it('the service ignores a device’s tag from the old primary after the standby was promoted', async () => {
    const before = (await find(onPrimary)).now;
    // The standby must not receive the later commits of the old primary.
    await onStandby.query(`ALTER SYSTEM SET primary_conninfo = ''`);
    await onStandby.query('SELECT pg_reload_conf()');
    const lost = (await find(onPrimary)).now;
    standby.promote();
    const first = await find(onStandby, lost);
    expect(first.since).toBeNull();
    for (let n = 0; n < 60; n += 1) await onStandby.query('SELECT pg_current_xact_id()');
    for (const tag of [before, lost]) expect((await find(onStandby, tag)).since).toBeNull();
    expect((await find(onStandby, first.now)).since).toBe(first.now.snapshot);
    // The new timeline is already visible after the first write, so a checkpoint must not change the result.
    await onStandby.query('CHECKPOINT');
    expect((await find(onStandby, first.now)).since).toBe(first.now.snapshot);
  });
});
