import { DebianPostgres, debianPrograms, hasPgBouncer, PgBouncer } from '@passwright/testing';
import { examine } from '../../src/doctor/doctor-program.js';
import { type Account, RunningService } from '../support/running-service.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('replica.e2e-spec.ts is skipped: install the Debian package postgresql.\n');
const describeReplica = isInstalled ? describe : describe.skip;

jest.setTimeout(120_000);

describeReplica('a service with a standby for reads', () => {
  let primary: DebianPostgres;
  let standby: DebianPostgres;
  let service: RunningService;
  let account: Account;

  beforeAll(async () => {
    primary = await DebianPostgres.startCopy('migrated');
    standby = await DebianPostgres.standbyOf(primary);
    service = await RunningService.start({ DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url });
    account = await service.register();
  });
  afterAll(async () => {
    await service.stop();
    primary.remove();
    standby.remove();
  });

  const replicaReads = async () => {
    const { bytes } = await service.request('GET', '/metrics');
    return Number(/^passwright_replica_reads_total\{server="replica"\} (\d+)$/m.exec(bytes.toString())?.[1] ?? 0);
  };
  /**
   * Repeats a request until the standby has served one of its reads.
   * @returns the last response
   */
  const readOnStandby = async (path: string) => {
    for (;;) {
      const before = await replicaReads();
      const response = await account.get(path);
      if ((await replicaReads()) > before) return response;
    }
  };

  it('passes, packages, pages, templates, usage and the audit trail are read from the standby', async () => {
    const { body } = await account.issue('offer', { id: 'ada' });
    for (const path of [
      '/v1/pass/offer/ada',
      new URL(body.walletAUrl).pathname,
      new URL(body.webUrl).pathname,
      '/v1/templates/offer',
      '/v1/templates',
      '/v1/account/usage',
      '/v1/account/usage/days',
      '/v1/account/events',
    ]) {
      expect({ path, status: (await readOnStandby(path)).status }).toEqual({ path, status: 200 });
    }
  });

  it('a client sees each of its changes immediately', async () => {
    await account.issue('offer', { id: 'changing' });
    for (let n = 0; n < 30; n++) {
      const value = String(n);
      await account.patch('/v1/pass/offer/changing', { fields: [{ key: 'points', label: 'Points', value }] });
      const { body } = await account.get('/v1/pass/offer/changing');
      expect(body.pass.fields).toEqual([expect.objectContaining({ value })]);
    }
    await account.delete('/v1/pass/offer/changing');
    expect((await account.get('/v1/pass/offer/changing')).status).toBe(404);
  });

  const reportOf = async (replicaUrl: string) => {
    const environment = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replicaUrl, DATA_DIR: service.dataDir };
    return (await examine(environment)).filter(({ check }) => check === 'replica');
  };

  (hasPgBouncer() ? it : it.skip)('the doctor finds a pooler in transaction mode in front of a standby', async () => {
    const pooler = await PgBouncer.start(standby, { pool_mode: 'transaction', default_pool_size: 2 });
    expect(await reportOf(pooler.url)).toEqual([
      expect.objectContaining({ verdict: 'problem', found: expect.stringContaining('transaction mode') }),
    ]);
    await pooler.stop();
  });

  it('the doctor accepts a standby, and rejects a primary and an address without a server', async () => {
    expect(await reportOf(standby.url)).toEqual([expect.objectContaining({ verdict: 'ok' })]);
    expect(await reportOf(primary.url)).toEqual([
      expect.objectContaining({ verdict: 'problem', found: expect.stringContaining('leads to a primary') }),
    ]);
    const nowhere = Object.assign(new URL(standby.url), { port: '1' }).href;
    expect(await reportOf(nowhere)).toEqual([
      expect.objectContaining({ verdict: 'problem', fix: expect.stringContaining('DATABASE_REPLICA_URL') }),
    ]);
  });
});
