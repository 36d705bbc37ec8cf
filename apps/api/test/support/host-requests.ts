import { request as send } from 'node:http';

/** A request to the host app. */
export interface HostRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** A response without the header `Date`. */
export interface HostResponse {
  readonly status: number | undefined;
  readonly headers: string[];
  readonly body: string;
}

const visits = '/api/v1/visits';
const json = { 'Content-Type': 'application/json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const multipart = { 'Content-Type': 'multipart/form-data; boundary=edge' };
const file =
  '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--edge--\r\n';

const get = (path: string, headers: Record<string, string> = {}): HostRequest => ({ method: 'GET', path, headers });
const post = (path: string, headers: Record<string, string>, body: string | Buffer): HostRequest => ({
  method: 'POST',
  path,
  headers,
  body,
});

/** Valid and invalid requests of all kinds to the host. */
export const hostRequests: readonly HostRequest[] = [
  post(visits, json, '{"fullName":"Ada"}'),
  post(visits, form, 'fullName=Grace+Hopper'),
  post(visits, json, '{"fullName":"Ada","extra":1}'),
  post(visits, { ...json, 'Idempotency-Key': 'one' }, '{"fullName":"Edsger"}'),
  post(visits, { ...json, 'Idempotency-Key': 'one' }, '{"fullName":"Barbara"}'),
  post(visits, json, '{"fullName":1}'),
  post(visits, json, '{"fullName":'),
  post(visits, json, '[]'),
  post(visits, json, ''),
  post(visits, { 'Content-Type': 'text/plain' }, 'Ada'),
  post(visits, { ...json, 'Content-Encoding': 'compress' }, '{}'),
  post(visits, json, JSON.stringify({ fullName: 'x'.repeat(200_000) })),
  post(`${visits}/echo`, json, '{"a":{"b":[1,2]},"a":2,"__proto__":{"c":1}}'),
  post(`${visits}/echo`, { 'Content-Type': 'application/json; charset=utf-16' }, '{}'),
  post(`${visits}/echo`, form, 'a[b]=1&a[c]=2'),
  post(`${visits}/echo`, { 'Content-Type': 'application/octet-stream' }, Buffer.from([0, 1, 2])),
  post(`${visits}/upload`, multipart, file),
  post(`${visits}/upload`, json, '{}'),
  { method: 'PUT', path: `${visits}/2`, headers: json, body: '{"fullName":"Hopper"}' },
  { method: 'PUT', path: `${visits}/x`, headers: json, body: '{"fullName":"Hopper"}' },
  { method: 'DELETE', path: `${visits}/3` },
  { method: 'PATCH', path: `${visits}/1`, headers: json, body: '{}' },
  get(visits),
  get(visits, { 'If-None-Match': '*' }),
  get(visits, { Authorization: 'Bearer of-the-host', 'X-Request-Id': 'host-1' }),
  get(`${visits}?page=2&unknown=1`),
  get(`${visits}?page=1000`),
  get(`${visits}/raw?a[b]=1&a[c][]=2&d=%01`),
  get(`${visits}/raw?a=%FF`),
  get(`${visits}/1`),
  get(`${visits}/99`),
  get(`${visits}/one`),
  get(`${visits}/%E0%A4%A`),
  get('/api/v2/visits/all'),
  get('/api/v1/visits/all'),
  get(`${visits}/secret`),
  get(`${visits}/secret`, { 'X-Role': 'admin' }),
  get(`${visits}/page`),
  get(`${visits}/page`, { Accept: 'application/json' }),
  get(`${visits}/file`),
  get(`${visits}/elsewhere`),
  get(`${visits}/own-response`),
  ...['rejected', 'missing', 'teapot', 'unexpected'].map((kind) => get(`${visits}/failure/${kind}`)),
  get('/status'),
  get('/api/status'),
  get('/api/v1/pass-desk?q=1'),
  get('/api/v1/pass/desk/of/the/host'),
  get('/api/images', { 'X-Request-Id': 'host-2' }),
  get('/api/v1/images'),
  get('/api/nothing'),
  get('/nothing', { Accept: 'text/html' }),
  get('//api/v1/visits'),
  get('/api/docs'),
  get('/api/docs-json'),
  { method: 'HEAD', path: visits },
  { method: 'OPTIONS', path: visits, headers: { Origin: 'https://shop.example.com' } },
  { method: 'OPTIONS', path: visits, headers: { Origin: 'https://evil.example.com' } },
];

/** Sends the requests one by one. */
export async function responsesOf(port: number, requests = hostRequests): Promise<HostResponse[]> {
  const responses: HostResponse[] = [];
  for (const each of requests) responses.push(await responseTo(port, each));
  return responses;
}

function responseTo(port: number, { method, path, headers, body = '' }: HostRequest): Promise<HostResponse> {
  return new Promise((resolve, reject) => {
    const length = body.length > 0 ? { 'Content-Length': String(Buffer.byteLength(body)) } : {};
    const request = send({ host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false });
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () =>
          resolve({
            status: response.statusCode,
            headers: withoutDate(response.rawHeaders),
            body: Buffer.concat(chunks).toString('latin1'),
          }),
        );
    });
    request.end(body);
  });
}

function withoutDate(rawHeaders: readonly string[]): string[] {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []));
  return lines.filter((line) => !line.startsWith('Date: '));
}
