import { Account } from './running-service.js';

/** Creates a test account of a user, and signs in to it. */
export async function testAccountOf(user: Account): Promise<Account> {
  const { status, body } = await user.post('/v1/auth/accounts', { name: 'Engines (test)', test: true });
  if (status !== 201) throw new Error(`a test account returned ${status}: ${JSON.stringify(body)}`);
  return new Account(user.service, user.email, user.password, body.accountId, body.accessToken, body.refreshToken);
}
