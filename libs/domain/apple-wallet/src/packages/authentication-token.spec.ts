import { createSecretKey } from 'node:crypto';
import { authenticationToken } from './authentication-token.js';

it('the authentication token of a pass is the same in every release, because installed passes cannot get a new one', () => {
  const secret = createSecretKey(Buffer.from('s'.repeat(32)));
  expect(authenticationToken(secret, '4fQz8LwXk2bN0aVtYc7mRd')).toBe('lx9LMRdKnU-yE5e0veX68SLelYiO-HbuJUNmCAaln4w');
});
