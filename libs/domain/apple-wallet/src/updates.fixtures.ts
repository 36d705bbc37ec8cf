import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApplePush, Clock, Signer } from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { CircuitRow, type Job, Jobs, JobsModule } from '@passwright/jobs';
import { FixedClock, testDatabase } from '@passwright/testing';
import type { EntityManager } from 'typeorm';
import { PassChangeNotifier, PassExpiryCron, PassExpiryRepository } from '@passwright/passes/testing';
import { AppleWalletOptions } from './apple-wallet.options.js';
import { PushFanout } from './fanout/push-fanout.handlers.js';
import { PushFanoutRepository } from './fanout/push-fanout.repository.js';
import { ApplePassListener } from './fanout/apple-pass.listener.js';
import { PushCircuitBreaker } from './push/push-circuit-breaker.js';
import { PushCircuitsRepository } from './push/push-circuits.repository.js';
import type { PushPacing } from './push/push-pacing.js';
import { afterAnyPush, PushPage } from './push/push-page.entity.js';
import { PushPages } from './push/push-pages.service.js';
import { PushQueueRepository } from './push/push-queue.repository.js';
import { PushRecordsRepository } from './push/push-records.repository.js';
import { PushDueCron } from './push/push-due.cron.js';
import { PushSender } from './push/push-sender.handlers.js';
import { RegisteredPassesRepository } from './fanout/registered-passes.repository.js';
import { ReplaceableSigner } from '@passwright/passes/testing';
import { PushClockRepairCron } from './push/push-clock-repair.cron.js';
import { ScriptedPush } from './scripted-push.fixtures.js';

/** Returns a new certificate of the same pass type. */
export const aCertificate = () => ({ passTypeIdentifier: passType, fingerprint: randomUUID() });

/** The pass type of every account's certificate in these tests. */
export const passType = 'pass.example';

/** The columns of `apple_device` about its pushes. */
export interface DeviceRow {
  readonly due_at: Date | null;
  readonly pushed_at: Date | null;
  readonly push_id: string | null;
  readonly push_status: number | null;
  readonly push_reason: string | null;
  readonly push_attempts: number;
  readonly push_score: number;
  readonly push_failures: number;
  readonly push_not_before: Date | null;
  readonly bad_tokens: number;
}

/** Marks, pushes and expires passes on a real database, with a fake push service and clock. */
export class UpdatesWorld {
  readonly clock = new FixedClock('2026-11-20T10:00:00.000Z');
  readonly push = new ScriptedPush();
  readonly signer = new ReplaceableSigner();
  private module!: TestingModule;
  private count = 0;

  static async start(push?: PushPacing): Promise<UpdatesWorld> {
    const world = new UpdatesWorld();
    world.signer.replaced = aCertificate();
    world.module = await world.node(push);
    return world;
  }

  /** Starts another process on the same database, with the same clock and push service. */
  async node(push?: PushPacing): Promise<TestingModule> {
    const { url } = await testDatabase();
    const outside = [
      { provide: Clock, useValue: this.clock },
      { provide: ApplePush, useValue: this.push },
      { provide: Signer, useValue: this.signer },
      { provide: AppleWalletOptions, useValue: { push } },
    ];
    @Module({})
    class OutsideModule {}
    return Test.createTestingModule({
      imports: [
        { module: OutsideModule, global: true, providers: outside, exports: outside.map(({ provide }) => provide) },
        DiscoveryModule,
        DatabaseModule.forRoot({ url, poolSize: 10 }),
        TypeOrmModule.forFeature([CircuitRow, PushPage]),
        JobsModule.forRoot({ url, run: false }),
      ],
      providers: [
        PushFanout,
        PushFanoutRepository,
        PushSender,
        PushCircuitBreaker,
        PushPages,
        PushQueueRepository,
        PushRecordsRepository,
        PushCircuitsRepository,
        PushDueCron,
        PushClockRepairCron,
        PassExpiryCron,
        PassExpiryRepository,
        PassChangeNotifier,
        ApplePassListener,
        RegisteredPassesRepository,
      ],
    }).compile();
  }

  stop(): Promise<void> {
    return this.module.close();
  }

  get<T>(token: abstract new (...args: never[]) => T): T {
    return this.module.get<T>(token);
  }

  get db(): EntityManager {
    return this.get(Database).reads;
  }

  /** Adds an account with a template `t` that last changed at `at`. */
  async account(at = this.clock.now()): Promise<string> {
    const id = `acc_${randomUUID()}`;
    await this.db.query('INSERT INTO account (id, name, created_at) VALUES ($1, $1, $2)', [id, at]);
    await this.db.query(
      `INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
         sharing_prohibited, locations, fields, back_fields, revision, created_at, updated_at)
       VALUES ($1, 't', 'offer', 'T', 'I', '#fff', '#000', '{}', false, '[]', '[]', '[]', 1, $2, $2)`,
      [id, at],
    );
    return id;
  }

  /** Adds a pass of the template `t` and returns its serial number. */
  async pass(accountId: string, changes: { expiresAt?: Date; voidedAt?: Date; redeemedAt?: Date } = {}) {
    const serial = `serial-${randomUUID()}`;
    await this.db.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at, expires_at, voided_at, redeemed_at)
       VALUES ($1, 't', 'offer', $2, $2, $2, '[]', '[]', '[]', '{}', 1, $3, $3, $4, $5, $6)`,
      [accountId, serial, this.clock.now(), changes.expiresAt, changes.voidedAt, changes.redeemedAt],
    );
    return serial;
  }

  /** Adds a device that holds the current version of the passes. Returns its id, which is also its push token. */
  async device(accountId: string, ...serials: string[]): Promise<string> {
    const id = `device-${String(++this.count).padStart(6, '0')}`;
    await this.db.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       VALUES ($1, $2, $4, $2, $2, $3)`,
      [accountId, id, this.clock.now(), passType],
    );
    for (const serial of serials) await this.register(accountId, id, serial);
    return id;
  }

  async register(accountId: string, deviceId: string, serial: string): Promise<void> {
    await this.db.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, $2, $3, 't', $4, GREATEST(pass.updated_at, template.updated_at)
       FROM pass JOIN template ON template.account_id = $1 AND template.id = pass.template_id
       WHERE pass.account_id = $1 AND serial_number = $3`,
      [accountId, deviceId, serial, this.clock.now()],
    );
  }

  /** Changes a pass now, and marks its devices as due for a push. */
  async change(accountId: string, serialNumber: string): Promise<void> {
    await this.db.query('UPDATE pass SET updated_at = $3 WHERE account_id = $1 AND serial_number = $2', [
      accountId,
      serialNumber,
      this.clock.now(),
    ]);
    await this.get(PushFanout).passChanged({ accountId, serialNumber });
  }

  /** Changes the template `t`, and so all its passes, without marking devices as due. */
  async changeTemplate(accountId: string): Promise<void> {
    await this.db.query('UPDATE template SET updated_at = $2 WHERE account_id = $1', [accountId, this.clock.now()]);
  }

  /** Records that the device has fetched the current version. */
  async fetch(accountId: string, deviceId: string): Promise<void> {
    await this.db.query(
      `UPDATE apple_registration SET seen_at = GREATEST(p.updated_at, t.updated_at), fetched_at = $3, fetched_status = 200
       FROM pass p JOIN template t ON t.account_id = p.account_id AND t.id = p.template_id
       WHERE apple_registration.account_id = $1 AND device_id = $2
         AND p.account_id = $1 AND p.serial_number = apple_registration.serial_number`,
      [accountId, deviceId, this.clock.now()],
    );
    await this.db.query('UPDATE apple_device SET due_at = NULL WHERE account_id = $1 AND id = $2', [
      accountId,
      deviceId,
    ]);
  }

  send(accountId: string): Promise<void> {
    return this.get(PushSender).send({ accountId }, running());
  }

  async row(accountId: string, deviceId: string): Promise<DeviceRow | undefined> {
    const sql = 'SELECT * FROM apple_device WHERE account_id = $1 AND id = $2';
    const [row] = await this.db.query<DeviceRow[]>(sql, [accountId, deviceId]);
    return row;
  }

  /** Makes the named devices due now regardless of earlier pushes; without names, all devices of the account. */
  async lookAt(accountId: string, ...deviceIds: string[]): Promise<void> {
    await this.db.query(
      `INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
       SELECT $1, nextval('apple_push_number'), $2, ${afterAnyPush}, array_agg(id), count(*)
       FROM apple_device WHERE account_id = $1 AND (id = ANY ($3) OR cardinality($3::text[]) = 0)`,
      [accountId, this.clock.now(), deviceIds],
    );
  }

  /** Returns the unclaimed pages with their due times and devices, earliest first. */
  async pages(accountId: string): Promise<{ due_at: Date; device_ids: string[] }[]> {
    return this.db.query(
      'SELECT due_at, device_ids FROM apple_push_page WHERE account_id = $1 AND claim IS NULL ORDER BY due_at, id',
      [accountId],
    );
  }

  /** Deletes the jobs that wait for this account, as if they had run. */
  async takeJobs(accountId: string): Promise<void> {
    await this.db.query("DELETE FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1", [accountId]);
  }

  addJobs(...jobs: Job[]): Promise<void> {
    return this.get(Database).transaction((tx) => this.get(Jobs).addMany(tx, jobs));
  }

  /** Returns the jobs of a task that wait for this account. */
  jobs(task: string, accountId: string): Promise<{ payload: object; run_at: Date }[]> {
    return this.db.query(
      `SELECT job.payload, job.run_at
       FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
       WHERE task.identifier = $1 AND job.payload->>'accountId' = $2 ORDER BY job.id`,
      [task, accountId],
    );
  }
}

/** Returns the context of a job that is never aborted. */
export function running(signal = new AbortController().signal) {
  return { signal };
}
