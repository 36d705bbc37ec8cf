import { Database } from '@passwright/database';
import { DataSource } from 'typeorm';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { AccountsService } from './accounts.service.js';

let node: AccountsNode;

beforeAll(async () => {
  node = await AccountsNode.start({ accountsPerFounder: 3 });
});
afterAll(() => node.stop());

const accounts = () => node.app.get(AccountsService);
const found = async ({ accessToken: token }: Pick<Registered, 'accessToken'>): Promise<string> => {
  const { status, body } = await node.call('post', '/v1/auth/accounts', { token, body: { name: 'Another' } });
  expect(status).toBe(201);
  return body.accountId;
};

it('shareOf returns the same key for all accounts of one founder, and another key for an account of another founder', async () => {
  const [user, stranger] = [await node.register(), await node.register()];
  const founded = [user.accountId, await found(user), await found(user)];
  const shares = await Promise.all(founded.map((accountId) => accounts().shareOf(accountId)));
  expect(new Set(shares).size).toBe(1);
  expect(await accounts().shareOf(stranger.accountId)).not.toBe(shares[0]);
});

it('shareOf returns the account’s own id if the operator created the account', async () => {
  const { id } = await node.app.get(Database).transaction((tx) => accounts().create(tx, { name: 'Operator’s' }));
  expect(await accounts().shareOf(id)).toBe(id);
});

it('shareOf returns the account’s own id if the founder has left the account', async () => {
  const user = await node.register();
  const [left, stored] = [await found(user), await found(user)];
  await node.app.get(DataSource).query('DELETE FROM account_member WHERE account_id = $1', [left]);
  expect(await accounts().shareOf(left)).toBe(left);
  const { reads } = node.app.get(Database);
  expect(await accounts().listOfSameFounder(left, reads)).toEqual([left]);
  const others = await accounts().listOfSameFounder(stored, reads);
  expect(others.sort()).toEqual([user.accountId, stored].sort());
});

it('403 limit_exceeded for every account over the limit of its founder, even in simultaneous requests', async () => {
  const { accessToken: token, accountId } = await node.register();
  const founding = Array.from({ length: 5 }, () =>
    node.call('post', '/v1/auth/accounts', { token, body: { name: 'A' } }),
  );
  const responses = await Promise.all(founding);
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
  expect(responses.find(({ status }) => status === 403)?.body).toMatchObject({ code: 'limit_exceeded' });
  const all = await accounts().listOfSameFounder(accountId, node.app.get(Database).reads);
  expect(all).toHaveLength(3);
  expect(all).toContain(accountId);
  const left = all.find((each) => each !== accountId);
  await node.app.get(DataSource).query('DELETE FROM account_member WHERE account_id = $1', [left]);
  await found({ accessToken: token });
});
