import { randomUUID } from 'node:crypto';
import { Database } from '@passwright/database';
import { DataSource } from 'typeorm';
import { AccountsNode, anAddress } from '../accounts.fixtures.js';
import { ChangedCredentials } from '../credentials/changed-credentials.service.js';
import { KnownAddressesCron } from './known-addresses.cron.js';
import { KnownAddresses, mostKnownAddresses } from './known-addresses.repository.js';

let node: AccountsNode;
beforeAll(async () => {
  node = await AccountsNode.start();
});
afterAll(() => node.stop());

const known = () => node.app.get(KnownAddresses);
const sql = <T>(query: string, values: unknown[]) => node.app.get(DataSource).query<T[]>(query, values);

async function aUser(): Promise<{ uid: string; email: string }> {
  const { email } = await node.register();
  const [row] = await sql<{ uid: string }>('SELECT uid FROM app_user WHERE email = $1', [email]);
  return { uid: row?.uid ?? '', email };
}

it('the service remembers the latest twenty IP addresses of each user separately', async () => {
  const [{ uid, email }, stranger] = [await aUser(), await aUser()];
  const addresses = Array.from({ length: mostKnownAddresses + 2 }, anAddress);
  for (const address of addresses) {
    node.clock.advance(1);
    await known().remember(uid, email, address);
  }
  const states = await Promise.all(addresses.map((address) => known().has(email.toUpperCase(), address)));
  expect(states).toEqual([false, false, ...Array<boolean>(mostKnownAddresses).fill(true)]);
  expect(await known().has(stranger.email, addresses.at(-1) ?? '')).toBe(false);
});

it('the service remembers the IP address from which an invited user chooses a password', async () => {
  const [{ accessToken: token }, address] = [await node.register(), anAddress()];
  const email = `${randomUUID()}@example.com`;
  const { body } = await node.call('post', '/v1/account/invite', { token, body: { email } });
  const newUser = { name: 'Grace Hopper', password: 'correct horse battery staple' };
  await node.call('post', `/v1/account/invites/${body.code}/accept`, { body: newUser, from: address });
  expect(await known().has(email, address)).toBe(true);
});

it('the service keeps the IP addresses that a user still uses, and drops the address that was unused longest', async () => {
  const { uid, email } = await aUser();
  const [home, ...others] = Array.from({ length: mostKnownAddresses + 5 }, anAddress);
  for (const address of others) {
    node.clock.advance(86_401);
    for (const seen of [home ?? '', address]) await known().remember(uid, email, seen);
  }
  expect(await known().has(email, home ?? '')).toBe(true);
});

it('the service deletes a known IP address after 180 days, and all addresses of a user together with the user', async () => {
  const [{ uid, email }, address] = [await aUser(), anAddress()];
  await known().remember(uid, email, address);
  node.clock.advance(180 * 86_400);
  expect(await known().has(email, address)).toBe(false);
  await node.app.get(KnownAddressesCron).deleteOld();
  const rows = () => sql('SELECT FROM known_address WHERE uid = $1', [uid]);
  expect(await rows()).toEqual([]);
  await known().remember(uid, email, address);
  await sql('DELETE FROM account_member WHERE uid = $1', [uid]);
  await sql('DELETE FROM app_user WHERE uid = $1', [uid]);
  expect(await rows()).toEqual([]);
  await known().remember(uid, email, address);
  expect(await rows()).toEqual([]);
});

it('the service deletes the known IP addresses of a user after a password reset or a change of the e-mail', async () => {
  const users = await Promise.all([aUser(), aUser()]);
  const address = anAddress();
  for (const { uid, email } of users) await known().remember(uid, email, address);
  const [reset, moved] = users;
  await node.app.get(Database).transaction(async (tx) => {
    await node.app.get(ChangedCredentials).passwordReset(tx, reset.uid, 'a hash');
    const credentials = { uid: moved.uid, email: moved.email, passwordHash: null };
    await node.app.get(ChangedCredentials).changeEmail(tx, credentials, `new-${moved.email}`);
  });
  for (const { email } of users) expect(await known().has(email, address)).toBe(false);
});

it('the service stores neither e-mails nor IP addresses in plaintext', async () => {
  const [{ uid, email }, address] = [await aUser(), anAddress()];
  await known().remember(uid, email, address);
  const rows = await sql<{ text: string }>('SELECT k::text AS text FROM known_address k WHERE uid = $1', [uid]);
  expect(rows.filter(({ text }) => text.includes(address) || text.includes(email))).toEqual([]);
});
