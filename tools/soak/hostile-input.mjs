// Hostile input: sends the largest texts that are dear to read (one character repeated, and what almost matches) at every
// place of every operation of the API document, and prints which requests held the event loop longest,
// by the processor time of its thread.
// Fails on a response of 5xx other than 503 with Retry-After, on a service that ends, and on a request that holds the event
// loop for more than 250 ms.
//
//   npm run soak:hostile-input            every operation
//   npm run soak:hostile-input -- short   one kind of text for each place, dealt out in turn
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNodes } from './lib/nodes.mjs';

const STALL_MS = 250;
const TICK_MS = 1000 / 100;
const BODY_BYTES = 90_000;
const HEADER_BYTES = 7_000;
const fillers = [
  '=',
  ' ',
  'a',
  '1',
  '<',
  '\n',
  '@',
  '.',
  '(',
  '/',
  '-',
  '%',
  '&',
  '"',
  '\\',
  'é',
  '\u202e',
  '😀',
  'a@',
  'a.',
  '1:',
  '{"',
];
const headers = ['Authorization', 'Idempotency-Key', 'If-None-Match', 'If-Modified-Since', 'User-Agent', 'Accept'];
headers.push('Accept-Language', 'Accept-Encoding', 'Range', 'X-Forwarded-For', 'Cookie', 'X-Request-Id', 'Origin');
const short = process.argv[2] === 'short';

const dir = mkdtempSync(join(tmpdir(), 'passwright-hostile-input-'));
const [node] = await startNodes(1, { DATA_DIR: dir, RATE_LIMIT_PER_MINUTE: '0' });
const document = await (await fetch(`${node.url}/openapi.json`)).json();
const failures = [];
const costs = [];

/** Processor time of the service's event loop, its first thread, so far; the kernel counts ticks of 10 ms. */
function processorMs() {
  const stat = readFileSync(`/proc/${node.child.pid}/task/${node.child.pid}/stat`, 'utf8');
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(utime) + Number(stime)) * TICK_MS;
}

async function send(method, path, { body, type = 'application/json', token, more = {} } = {}) {
  const request = { method, redirect: 'manual', signal: AbortSignal.timeout(30_000) };
  request.headers = {
    ...(body !== undefined && { 'Content-Type': type }),
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  Object.assign(request.headers, more);
  if (body !== undefined) request.body = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${node.url}${path}`, request);
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
}

async function measured(name, method, path, request) {
  const before = processorMs();
  let result;
  try {
    result = await send(method, path, request);
  } catch (error) {
    failures.push(`${name}: ${error.cause?.code ?? error.message}`);
    return;
  }
  const ms = processorMs() - before;
  costs.push({ name, ms, status: result.status });
  if (ms > STALL_MS) failures.push(`${name}: ${ms} ms of processor time`);
  const isExcused = result.status === 503 && result.retryAfter;
  if (result.status >= 500 && !isExcused) failures.push(`${name}: ${result.status} ${result.text.slice(0, 200)}`);
}

const resolved = (schema) => {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema?.$ref ?? '')?.[1];
  return name ? document.components.schemas[name] : (schema ?? {});
};

/** A body that its schema takes, as far as examples and types tell. */
function sampleOf(reference, depth = 0) {
  const schema = resolved(reference);
  const known = schema.example ?? schema.default ?? schema.const ?? schema.enum?.[0] ?? schema.examples?.[0];
  if (known !== undefined) return known;
  const part = schema.oneOf?.[0] ?? schema.anyOf?.[0] ?? schema.allOf?.[0];
  if (part) return sampleOf(part, depth);
  if (schema.type === 'array') return depth > 4 ? [] : [sampleOf(schema.items, depth + 1)];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return false;
  if (schema.type !== 'object' && !schema.properties) return schema.format === 'email' ? 'ada@example.com' : 'text';
  const properties = Object.entries(schema.properties ?? {});
  return Object.fromEntries(depth > 4 ? [] : properties.map(([name, inner]) => [name, sampleOf(inner, depth + 1)]));
}

/** The same value with another one at each place that holds a text, and at the top. */
function* places(value, with_) {
  if (typeof value === 'string' || value === null) yield with_;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const changed of places(inner, with_)) {
      yield Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed };
    }
  }
}

const email = `${randomUUID()}@example.com`;
const person = { email, password: randomUUID(), name: 'Soak', accountName: 'Soak' };
const account = JSON.parse((await send('POST', '/v1/auth/register', { body: person })).text);
const token = account.accessToken;
const key = JSON.parse((await send('POST', '/v1/auth/keys', { body: { name: 'soak' }, token })).text).key;
const known = { accountId: account.accountId, templateId: 'soak', passId: 'p1', memberId: '1' };
let turn = 0;
const kinds = () => (short ? [fillers[turn++ % fillers.length]] : fillers);
const filled = (filler, bytes) => `${filler.repeat(Math.floor(bytes / Buffer.byteLength(filler)))}!`;

for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (!operation.operationId || /logout|deleteAccount/i.test(operation.operationId)) continue;
    const upper = method.toUpperCase();
    const address = path.replace(/\{(\w+)\}/g, (_, name) => known[name] ?? 'x');
    const name = `${upper} ${path}`;
    const credential = path.includes('/memberships/') ? key : token;
    for (const [type, { schema, example, examples }] of Object.entries(operation.requestBody?.content ?? {})) {
      if (type.startsWith('multipart/')) continue;
      const sample = example ?? Object.values(examples ?? {})[0]?.value ?? sampleOf(schema);
      if (typeof sample === 'object' && type.includes('json') && !type.includes('ndjson')) {
        let at = 0;
        for (const marked of places(sample, '\u0000')) {
          at += 1;
          for (const filler of kinds()) {
            const body = JSON.stringify(marked).replace('"\\u0000"', () =>
              JSON.stringify(filled(filler, BODY_BYTES / 6)),
            );
            await measured(`${name}, text ${at} of ${JSON.stringify(filler)}`, upper, address, {
              body,
              type,
              token: credential,
            });
          }
        }
        const many = Array.from({ length: 9000 }, (_, at) => [`k${at}`, 0]);
        const shapes = { 'deep arrays': '['.repeat(BODY_BYTES), 'many keys': JSON.stringify(Object.fromEntries(many)) };
        shapes['many items'] = JSON.stringify(places(sample, many).next().value ?? many);
        for (const [shape, body] of Object.entries(shapes)) {
          await measured(`${name}, ${shape}`, upper, address, { body, type, token: credential });
        }
      }
      for (const filler of kinds()) {
        const body = filled(filler, BODY_BYTES);
        await measured(`${name}, body of ${JSON.stringify(filler)}`, upper, address, { body, type, token: credential });
      }
    }
    for (const { name: parameter, in: place } of operation.parameters ?? []) {
      if (place !== 'query') continue;
      for (const filler of kinds()) {
        const query = `${parameter}=${encodeURIComponent(filled(filler, HEADER_BYTES / 3))}`;
        await measured(`${name}, ${parameter} of ${JSON.stringify(filler)}`, upper, `${address}?${query}`, {
          token: credential,
        });
      }
    }
    for (const header of headers) {
      for (const filler of kinds().filter((text) => /^[ -~]+$/.test(text))) {
        const more = { [header]: filled(filler, HEADER_BYTES).trim() };
        await measured(`${name}, ${header} of ${JSON.stringify(filler)}`, upper, address, { token: credential, more });
      }
    }
  }
}

await node.stop();
rmSync(dir, { recursive: true, force: true });
costs.sort((one, other) => other.ms - one.ms);
console.log(`${costs.length} requests. The dearest, in ms of the event loop's processor time:`);
for (const { name, ms, status } of costs.slice(0, 15)) console.log(`${String(ms).padStart(6)}  ${status}  ${name}`);
for (const failure of failures.slice(0, 40)) console.log(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
