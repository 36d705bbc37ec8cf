import { ValidationFailed } from '@passwright/core';
import { webhookUrl } from './webhook-url.js';

it.each([
  ['http://crm.example.com/', /https/],
  ['https://localhost/', /private/],
  ['https://127.0.0.1:8443/', /private/],
  ['https://[::1]/', /private/],
  ['https://2130706433/', /private/],
  ['https://crm/', /private/],
  ['https://crm.example.com:22/', /port 443 or one from 1024 on, not 22/],
  ['ftp://crm.example.com/', /https/],
  ['https://ada:secret@crm.example.com/', /user name/],
  ['crm.example.com', /https/],
])('400 validation_failed for the URL %s', (url, message) => {
  const rejected = expect(() => webhookUrl(url, ['crm.example.com:8443']));
  rejected.toThrow(message);
  rejected.toThrow(ValidationFailed);
});

it('a host that the operator allows may have a private address and use http, but only on the allowed port', () => {
  expect(webhookUrl('http://crm.internal:8080/hook', ['crm.internal:8080'])).toBe('http://crm.internal:8080/hook');
  expect(() => webhookUrl('http://crm.internal/hook', ['crm.internal:8080'])).toThrow(/private/);
});
