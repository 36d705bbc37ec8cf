import { createHmac, randomBytes } from 'node:crypto';
import { signedHeaders } from './webhook-signature.js';

it('signedHeaders returns one signature per secret, over the id, the time in seconds and the body', () => {
  const keys = [randomBytes(32), randomBytes(24)];
  const secrets = keys.map((key) => `whsec_${key.toString('base64')}`);
  const body = '{"name":"Zoë"}';
  const signatures = keys.map((key) => {
    return `v1,${createHmac('sha256', key).update(`evt_1.1795860000.${body}`).digest('base64')}`;
  });
  expect(signedHeaders({ id: 'evt_1', body }, secrets, new Date(1_795_860_000_999))).toEqual({
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1795860000',
    'webhook-signature': signatures.join(' '),
  });
});
