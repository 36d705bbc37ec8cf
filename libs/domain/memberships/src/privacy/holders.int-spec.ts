import { randomBytes } from 'node:crypto';
import { Database } from '@passwright/database';
import { lockWaitsSql } from '@passwright/testing';
import type { EntityManager } from 'typeorm';
import type { Member } from '../members/member.entity.js';
import { TimeWorld } from '../reminders/reminders.fixtures.js';
import { HoldersService } from './holders.service.js';

let world: TimeWorld;
beforeAll(async () => {
  world = await TimeWorld.start();
});
afterAll(() => world.stop());

/** Runs an erasure while another transaction holds a lock that the erasure needs, makes a change and commits. */
async function eraseBeside(
  name: Parameters<HoldersService['erase']>[1],
  accountId: string,
  change: (tx: EntityManager) => Promise<unknown>,
) {
  let erasing: ReturnType<HoldersService['erase']> | undefined;
  await world.get(Database).transaction(async (tx) => {
    await change(tx);
    erasing = world.get(HoldersService).erase(accountId, name);
    await waitsForLock();
  });
  return erasing;
}

async function waitsForLock(): Promise<void> {
  while ((await world.db.query<unknown[]>(lockWaitsSql)).length === 0) await new Promise(setImmediate);
}

const emailOf = async (member: Member) => ((await world.read(member)) as Member | null)?.email;

describe('an erasure', () => {
  it('an erasure empties the stored response of a pass change that is in progress when the erasure begins', async () => {
    const accountId = await world.account();
    const { templateId, passId } = await world.member(accountId, null);
    await eraseBeside({ templateId, passId }, accountId, async (tx) => {
      const pass = [accountId, templateId, passId];
      await tx.query(
        `UPDATE pass SET primary_value = 'Ada' WHERE account_id = $1 AND template_id = $2 AND id = $3`,
        pass,
      );
      const links = [
        `https://passes.example/p/${accountId}/club/another`,
        `https://passes.example/p/${pass.join('/')}`,
      ];
      const body = JSON.stringify({ primaryValue: 'Ada', links });
      await tx.query(
        `INSERT INTO idempotency_key (account_id, key_hash, request_hash, created_at, status_code, headers, body)
         VALUES ($1, $2, $2, $3, 200, '{}', $4)`,
        [accountId, randomBytes(32), world.clock.now(), body],
      );
    });
    const stored = await world.db.query('SELECT status_code, body FROM idempotency_key WHERE account_id = $1', [
      accountId,
    ]);
    expect(stored).toEqual([{ status_code: 404, body: expect.stringContaining('was erased') }]);
  });

  it('an erasure does not delete a member whose address changes just before the erasure locks the member', async () => {
    const accountId = await world.account();
    const member = await world.member(accountId, null);
    const erased = await eraseBeside({ email: member.email }, accountId, (tx) =>
      world.rename(tx, member, 'new@example.com'),
    );
    expect(erased).toEqual({ members: 0, passes: 0, mails: 0, devices: 0, images: 0 });
    expect(await emailOf(member)).toBe('new@example.com');
    expect(await world.pass(member)).toMatchObject({ voided: false });
  });

  it('an erasure also deletes a member who gets the erased address during the erasure', async () => {
    const accountId = await world.account();
    const [former, next] = await world.members(accountId, 2, null);
    const erased = await eraseBeside({ email: former!.email }, accountId, async (tx) => {
      await world.rename(tx, former!, 'new@example.com');
      await world.rename(tx, next!, former!.email);
    });
    expect(erased).toMatchObject({ members: 1, passes: 1 });
    expect([await emailOf(former!), await emailOf(next!)]).toEqual(['new@example.com', undefined]);
  });
});
