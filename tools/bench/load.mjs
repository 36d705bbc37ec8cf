/** Puts load on an HTTP server with wrk, which uses little CPU itself, or with autocannon if wrk is not installed. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { cpuSeconds } from './servers.mjs';

export const connections = 16;
const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
export const loadedBy = `${connections} connections by ${hasWrk ? 'wrk' : 'autocannon'}`;
const randomRequests = fileURLToPath(new URL('random-requests.lua', import.meta.url));

/**
 * Measures one slice of load: requests per second, p50 and p99 in ms, and the server's CPU per request in ms.
 * @param requests a request, or a list from which each request is chosen at random. A request has a path and headers.
 * Unless it is a GET, it also has a method and a body
 * @param crowd the number of connections
 */
export async function load(seconds, { url, pid }, requests, crowd = connections) {
  const all = [requests].flat();
  const { origin } = new URL(url);
  const cpuBefore = cpuSeconds(pid);
  const { count, failed, ...figures } = await (hasWrk ? wrk : cannon)(seconds, origin, all, crowd);
  if (failed) throw new Error(`${origin}${all[0].path}: ${failed} of ${count} requests failed`);
  return { ...figures, cpu: ((cpuSeconds(pid) - cpuBefore) / count) * 1000 };
}

/**
 * Measures slices of load in turns.
 * @param contenders the server and the requests of each contender, by name
 * @returns the slices of each contender, by name
 */
export async function race(contenders, rounds, seconds) {
  const results = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, [server, requests]] of Object.entries(contenders)) {
      const slice = await load(seconds, server, requests);
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push(slice);
    }
  }
  return results;
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

async function wrk(seconds, url, requests, crowd) {
  const dir = mkdtempSync(join(tmpdir(), 'passwright-load-'));
  const file = join(dir, 'requests');
  const fields = ({ method = 'GET', body = '', path, headers = {} }) => [
    method,
    body,
    path,
    ...Object.entries(headers),
  ];
  writeFileSync(file, requests.map((request) => fields(request).flat().join('\t')).join('\n'));
  const args = ['-t1', `-c${crowd}`, `-d${seconds}s`, '--timeout', '60s', '--latency', '-s', randomRequests, url, file];
  const { stdout } = await promisify(execFile)('wrk', args).finally(() => rmSync(dir, { recursive: true }));
  const figure = (pattern) => pattern.exec(stdout)?.slice(1) ?? [];
  const milliseconds = ([amount, unit]) => Number(amount) * { us: 0.001, ms: 1, s: 1000 }[unit];
  const errors = figure(/Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/);
  return {
    count: Number(figure(/(\d+) requests in/)[0]),
    rate: Number(figure(/Requests\/sec:\s+([\d.]+)/)[0]),
    p50: milliseconds(figure(/50%\s+([\d.]+)(us|ms|s)/)),
    p99: milliseconds(figure(/99%\s+([\d.]+)(us|ms|s)/)),
    failed: [...figure(/Non-2xx or 3xx responses: (\d+)/), ...errors].reduce((sum, number) => sum + Number(number), 0),
  };
}

async function cannon(seconds, url, all, crowd) {
  const setupRequest = (request) => ({ ...request, ...all[Math.floor(Math.random() * all.length)] });
  const requests = [{ method: 'GET', setupRequest }];
  const result = await autocannon({ url, requests, connections: crowd, duration: seconds, timeout: 60 });
  return {
    count: result.requests.total,
    rate: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result['4xx'] + result['5xx'] + result.errors,
  };
}
