import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { securityHeaders } from './security-headers.js';

async function headersOf(baseUrl: string, path: string): Promise<Headers> {
  const app = express();
  app.use(securityHeaders(baseUrl), (_request, response) => response.end());
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  await new Promise((resolve) => server.close(resolve));
  return headers;
}

it('security headers make browsers insist on https only if the service itself uses https', async () => {
  const secure = await headersOf('https://passes.example.com', '/docs');
  expect(secure.get('strict-transport-security')).toBe('max-age=31536000');
  expect(secure.get('content-security-policy')).toContain('upgrade-insecure-requests');
  const plain = await headersOf('http://localhost:3000', '/docs');
  expect(plain.get('strict-transport-security')).toBeNull();
  expect(plain.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
});

it('security headers allow pages of other sites to show images', async () => {
  const headers = await headersOf('http://localhost:3000', '/images/x.png');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
});

it('security headers stay strict for a path that only begins like the path of the documentation', async () => {
  const headers = await headersOf('http://localhost:3000', '/docsx');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});
