import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DebianPostgres, debianPrograms, freePort } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { examine } from '../../src/doctor/doctor-program.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  process.stderr.write('doctor-servers.e2e-spec.ts is skipped: install the Debian package postgresql.\n');
const describeCluster = isInstalled ? describe : describe.skip;

jest.setTimeout(120_000);

describeCluster('the doctor with several servers in DATABASE_URL', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'passwright doctor '));
  let primary: DebianPostgres;
  let standby: DebianPostgres;
  let third: DebianPostgres;
  let other: DebianPostgres;

  beforeAll(async () => {
    primary = await DebianPostgres.startCopy('empty');
    standby = await DebianPostgres.standbyOf(primary);
    third = await DebianPostgres.standbyOf(primary);
    other = await DebianPostgres.start();
  });
  afterAll(() => {
    for (const server of [standby, third, primary, other]) server.remove();
    rmSync(dataDir, { recursive: true });
  });

  const portOf = ({ url }: DebianPostgres) => Number(new URL(url).port);
  const look = (...ports: number[]) => linesOf('servers', ...ports);
  async function linesOf(line: string, ...ports: number[]): Promise<string[]> {
    const [first, ...others] = ports.map((port) => `127.0.0.1:${port}`);
    const url = Object.assign(new URL(primary.url), { host: first }).href;
    const DATABASE_URL = url.replace(String(first), [first, ...others].join());
    const closed = await freePort();
    const findings = await examine({ DATA_DIR: dataDir, BASE_URL: `http://localhost:${closed}`, DATABASE_URL });
    return findings
      .filter(({ check }) => check === line)
      .map(({ verdict, found, fix }) => `${verdict}: ${found}${fix ? ` → ${fix}` : ''}`);
  }

  async function replicateSynchronously(): Promise<void> {
    const source = await new DataSource({ type: 'postgres', url: primary.url }).initialize();
    await source.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await source.query('SELECT pg_reload_conf()');
    const isSet = async () =>
      (await source.query('SHOW synchronous_standby_names'))[0].synchronous_standby_names === '*';
    while (!(await isSet()));
    await source.destroy();
  }

  it('the doctor warns if the primary does not replicate synchronously', async () => {
    expect(await look(portOf(standby), portOf(primary))).toEqual([
      'ok: All 2 servers of DATABASE_URL belong to one cluster.',
      expect.stringMatching(/^warning: The primary does not replicate synchronously.* → Set synchronous_standby_names/),
    ]);
    await replicateSynchronously();
    expect(await look(portOf(standby), portOf(primary))).toEqual([
      'ok: All 2 servers of DATABASE_URL belong to one cluster.',
      'ok: The primary replicates synchronously.',
    ]);
  });

  it('the doctor finds a server that does not respond', async () => {
    const closed = await freePort();
    expect(await look(portOf(primary), closed)).toContainEqual(
      expect.stringMatching(new RegExp(`^problem: .*:${closed} cannot be reached: .*ECONNREFUSED.* → .*DATABASE_URL`)),
    );
  });

  it('the doctor finds a server of another cluster, whichever server responds first', async () => {
    const wrong = (server: DebianPostgres, first: DebianPostgres) =>
      `problem: 127.0.0.1:${portOf(server)} has another database than 127.0.0.1:${portOf(first)}. ` +
      '→ Name only the servers of one cluster in DATABASE_URL.';
    const problems = async (...servers: DebianPostgres[]) =>
      (await look(...servers.map(portOf))).filter((line) => line.startsWith('problem'));
    for (let round = 0; round < 5; round++) {
      expect(await problems(primary, other, standby)).toEqual([wrong(other, primary)]);
      expect(await problems(other, standby, primary)).toEqual([wrong(standby, other), wrong(primary, other)]);
    }
  });

  it('the doctor says that a standby is not the primary', async () => {
    expect(await linesOf('database', portOf(third))).toEqual([
      expect.stringMatching(/^problem: .* cannot be used: .*standby.* → Name the primary in DATABASE_URL, or promote/),
    ]);
  });

  it('the doctor reports no finding about servers if the database has only one server', async () => {
    expect(await look(portOf(primary))).toEqual([]);
  });

  it('the doctor finds a former primary that accepts writes, and says which server is newer', async () => {
    standby.promote();
    const [older, newer] = [primary, standby].map((server) => `127.0.0.1:${portOf(server)}`);
    for (const servers of [
      [primary, standby],
      [standby, primary],
    ])
      expect(await look(...servers.map(portOf))).toEqual([
        `problem: ${older} and ${newer} both accept writes. ${newer} is newer, so the service uses it. ` +
          `→ Stop ${older}. Make it a standby of ${newer} with pg_rewind, or take it out of DATABASE_URL.`,
        expect.stringMatching(/^warning: The primary does not replicate synchronously/),
      ]);
  });

  it('the doctor finds two standbys that were both promoted, even if the service uses neither', async () => {
    third.promote();
    expect(await look(portOf(standby), portOf(third))).toEqual([
      `problem: 127.0.0.1:${portOf(third)} and 127.0.0.1:${portOf(standby)} both accept writes, and both write the same ` +
        'timeline, so neither is known to be the newer one. → Stop the one with the older data. ' +
        'Make it a standby of the other one with pg_basebackup, or take it out of DATABASE_URL.',
    ]);
    expect(await linesOf('database', portOf(standby), portOf(third))).toEqual([
      expect.stringMatching(
        /^problem: .* cannot be used: Several servers accept writes.* → Stop all of these servers but the one with the newest/,
      ),
    ]);
  });
});
