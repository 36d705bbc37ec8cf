import { setImmediate } from 'node:timers/promises';
import { FixedClock } from '@passwright/testing';
import { decode, verify } from 'jsonwebtoken';
import { toCredential } from './accounts/google-credential.js';
import { keyPair, serviceAccount } from './google.fixtures.js';
import { signSaveLink } from './save-link.js';

const credential = toCredential(serviceAccount, 'https://oauth2.googleapis.com/token');
const saveUrl = 'https://pay.google.com/gp/v/save';
const now = new FixedClock('2026-11-20T10:00:00.700Z').now();
const payload = { genericObjects: [{ id: `${serviceAccount.issuerId}.pass_abcdefghijklmnopqrstuvwxyz` }] };

it('signSaveLink signs a save link as a JWT that Google accepts: RS256, whole seconds and only the named resources', async () => {
  const link = await signSaveLink(credential, payload, { saveUrl, now });
  expect(link).toMatch(/^https:\/\/pay\.google\.com\/gp\/v\/save\/[\w-]+\.[\w-]+\.[\w-]+$/);
  const jwt = link.slice(saveUrl.length + 1);
  expect(verify(jwt, keyPair.publicKey, { algorithms: ['RS256'], audience: 'google' })).toEqual({
    iss: serviceAccount.clientEmail,
    aud: 'google',
    typ: 'savetowallet',
    iat: 1795168800,
    origins: [],
    payload,
  });
  expect(decode(jwt, { complete: true })?.header).toEqual({ alg: 'RS256', typ: 'JWT' });
  expect(jwt.length).toBeLessThan(1800);
});

it('signSaveLink signs a save link without blocking the event loop', async () => {
  let signed = 0;
  const links = Array.from({ length: 300 }, async () => {
    await signSaveLink(credential, payload, { saveUrl, now });
    signed++;
  });
  await setImmediate();
  expect(signed).toBeLessThan(300);
  await Promise.all(links);
  expect(signed).toBe(300);
});
