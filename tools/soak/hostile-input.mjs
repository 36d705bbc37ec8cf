/**
 * Sends the texts that are most expensive to parse, in the largest allowed size: one character repeated, and texts that
 * almost match. Puts them into every parameter, header and body text of every operation of the API document. Prints the
 * requests that occupied the event loop longest, by the processor time of its thread.
 *
 * Fails on:
 * - a 5xx other than 503 with Retry-After
 * - a service that ends
 * - a request that occupies the event loop for more than 250 ms
 * - one of the most expensive requests, if its cost grows faster than its text
 *
 *   npm run soak:hostile-input            every operation
 *   npm run soak:hostile-input -- short   only one kind of text for each place
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholeDocument } from '../whole-document.mjs';
import { startNodes } from './lib/nodes.mjs';

const STALL_MS = 250;
const BODY_BYTES = 90_000;
const HEADER_BYTES = 7_000;
/** The most expensive requests are repeated with texts that are shorter by this factor. */
const SHORTER = 16;
/**
 * The largest accepted growth of the cost, for texts that are 16 times longer. Linear cost grows 16 times, and
 * quadratic cost 256 times.
 */
const GROWTH_AT_MOST = 64;
const DEAREST = 20;
/** Costs below this number of milliseconds are noise. */
const LEAST_MS = 0.3;
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
const document = wholeDocument(await (await fetch(`${node.url}/openapi.json`)).json());
const failures = [];
const costs = [];

/** Returns the processor time that the event loop's thread has used so far. The kernel counts it in nanoseconds. */
function processorMs() {
  const { pid } = node.child;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, type?: string, token?: string, more?: Record<string, string> }} [options]
 */
async function send(method, path, { body, type = 'application/json', token, more = {} } = {}) {
  /** @type {RequestInit} */
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

/**
 * Measures the cost of a request.
 * @param requestOf builds the request; its argument is the factor by which texts are shorter
 */
async function measured(name, method, path, requestOf) {
  const before = processorMs();
  const request = requestOf(1);
  let result;
  try {
    result = await send(method, path + (request.query ?? ''), request);
  } catch (error) {
    failures.push(`${name}: ${error.cause?.code ?? error.message}`);
    return;
  }
  const ms = processorMs() - before;
  costs.push({ name, ms, status: result.status, send: (shorter) => costOf(method, path, requestOf(shorter)) });
  if (ms > STALL_MS) failures.push(`${name}: ${ms.toFixed(0)} ms of processor time`);
  const isExcused = result.status === 503 && result.retryAfter;
  if (result.status >= 500 && !isExcused) failures.push(`${name}: ${result.status} ${result.text.slice(0, 200)}`);
}

/**
 * Measures the cost three times and returns the smallest value, because other work of the event loop may be included.
 */
async function costOf(method, path, request) {
  let least = Infinity;
  for (let time = 0; time < 3; time += 1) {
    const before = processorMs();
    await send(method, path + (request.query ?? ''), request);
    least = Math.min(least, processorMs() - before);
  }
  return least;
}

/** Fails if the cost of a request grows faster than its text. */
async function judgeGrowth({ name, send: sendShorter }) {
  const floor = await sendShorter(HEADER_BYTES);
  const [small, large] = [(await sendShorter(SHORTER)) - floor, (await sendShorter(1)) - floor];
  const growth = large / Math.max(small, LEAST_MS);
  if (growth > GROWTH_AT_MOST)
    failures.push(`${name}: ${SHORTER} times the text costs ${growth.toFixed(0)} times as much`);
  return Math.max(0, growth);
}

const resolved = (schema) => {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema?.$ref ?? '')?.[1];
  return name ? document.components.schemas[name] : (schema ?? {});
};

/** Builds a body that a schema accepts, as far as the schema's examples and types say what it accepts. */
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

/** Yields copies of a value. In each copy, the replacement takes the place of another text or null. */
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
            const requestOf = (shorter) => {
              const text = JSON.stringify(filled(filler, BODY_BYTES / 6 / shorter));
              const body = JSON.stringify(marked).replace('"\\u0000"', () => text);
              return { body, type, token: credential };
            };
            await measured(`${name}, text ${at} of ${JSON.stringify(filler)}`, upper, address, requestOf);
          }
        }
        const many = (shorter) => Array.from({ length: 9000 / shorter }, (_, at) => [`k${at}`, 0]);
        const shapes = {
          'deep arrays': (shorter) => '['.repeat(BODY_BYTES / shorter),
          'many keys': (shorter) => JSON.stringify(Object.fromEntries(many(shorter))),
          'many items': (shorter) => JSON.stringify(places(sample, many(shorter)).next().value ?? many(shorter)),
        };
        for (const [shape, bodyOf] of Object.entries(shapes)) {
          const requestOf = (shorter) => ({ body: bodyOf(shorter), type, token: credential });
          await measured(`${name}, ${shape}`, upper, address, requestOf);
        }
      }
      for (const filler of kinds()) {
        const requestOf = (shorter) => ({ body: filled(filler, BODY_BYTES / shorter), type, token: credential });
        await measured(`${name}, body of ${JSON.stringify(filler)}`, upper, address, requestOf);
      }
    }
    for (const { name: parameter, in: place } of operation.parameters ?? []) {
      if (place !== 'query') continue;
      for (const filler of kinds()) {
        const requestOf = (shorter) => ({
          query: `?${parameter}=${encodeURIComponent(filled(filler, HEADER_BYTES / 3 / shorter))}`,
          token: credential,
        });
        await measured(`${name}, ${parameter} of ${JSON.stringify(filler)}`, upper, address, requestOf);
      }
    }
    for (const header of headers) {
      for (const filler of kinds().filter((text) => /^[ -~]+$/.test(text))) {
        const requestOf = (shorter) => ({
          token: credential,
          more: { [header]: filled(filler, HEADER_BYTES / shorter).trim() },
        });
        await measured(`${name}, ${header} of ${JSON.stringify(filler)}`, upper, address, requestOf);
      }
    }
  }
}

costs.sort((one, other) => other.ms - one.ms);
const growths = [];
for (const cost of costs.slice(0, DEAREST)) growths.push(await judgeGrowth(cost));
await node.stop();
rmSync(dir, { recursive: true, force: true });
console.log(
  `${costs.length} requests. The dearest: ms of the event loop's processor time, growth from a ${SHORTER}th of the text`,
);
for (const [at, { name, ms, status }] of costs.slice(0, DEAREST).entries()) {
  console.log(`${ms.toFixed(1).padStart(6)}  ${growths[at].toFixed(0).padStart(3)}  ${status}  ${name}`);
}
for (const failure of failures.slice(0, 40)) console.log(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
