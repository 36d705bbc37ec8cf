/**
 * Runs the public conformance suite and the public inspector of MCP against the built service, for the tables of
 * docs/agents.md. Both need a newer Node than the service. The suite sends no credential, so a proxy adds one. If a
 * scenario fails, it runs again through a second proxy, which also replaces the fixed names in the suite's calls with
 * names that exist in Passwright.
 *
 *   npm run mcp:conformance [-- scenarios]
 *
 * If scenarios are named, it prints the suite's findings about them and does not run the inspector.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { installNode } from './node-versions.mjs';
import { freePort } from './soak/lib/nodes.mjs';

const require = createRequire(import.meta.url);
const { loadConfig } = require('../apps/api/dist/config/config.js');
const { startService } = require('../apps/api/dist/start-service.js');

const nodeVersion = '24';
const inspectorVersion = '2.12.0';
const suites = [
  { version: '0.1.16', revision: '2025-11-25', options: [] },
  { version: '0.2.0-alpha.12', revision: '2025-11-25', options: ['--spec-version', '2025-11-25'] },
  { version: '0.2.0-alpha.12', revision: '2026-07-28', options: ['--spec-version', '2026-07-28'] },
];
const only = process.argv.slice(2);
const pass = { templateId: '123', passId: 'p1' };
const guide = { templateId: 'testValue1', passId: 'testValue2', complaint: 'It is not up to date' };

/** Fixed names in the calls of the suite, each with the matching name in Passwright. */
const equivalents = {
  test_simple_text: { name: 'lintTemplate', arguments: { templateId: '123' } },
  test_image_content: { name: 'previewPass', arguments: pass },
  test_error_handling: { name: 'getTemplate', arguments: { templateId: 'missing' } },
  test_simple_prompt: { name: 'design_template', arguments: { purpose: 'A gym', brand: 'Blue' } },
  test_prompt_with_arguments: { name: 'diagnose_pass', arguments: guide },
  'test://static-text': { uri: 'passwright://templates/123' },
  'test://template/123/data': { uri: 'passwright://templates/123' },
};
const completion = {
  ref: { type: 'ref/prompt', name: 'diagnose_pass' },
  argument: { name: 'templateId', value: '1' },
};

/** The calls to make with the inspector, each with its method and options. */
const calls = [
  ['tools/list', '--strict'],
  // The inner quotes keep the inspector from sending the id as a number.
  ['tools/call', '--tool-name', 'getPass', '--tool-arg', 'templateId="123"', '--tool-arg', 'passId=p1'],
  ['resources/list'],
  ['resources/templates/list'],
  ['resources/read', '--uri', 'passwright://templates/123'],
  ['prompts/list'],
  ['prompts/get', '--prompt-name', 'design_template', '--prompt-args', 'purpose=gym', 'brand=blue'],
];

/** Replaces the fixed names in a message of the suite with their `equivalents`. */
function rename(message) {
  const { method, params } = message;
  const own = equivalents[params?.name ?? params?.uri];
  if (own) return { ...message, params: { ...params, ...own } };
  if (method !== 'completion/complete') return message;
  return { ...message, params: { ...params, ...completion } };
}

/** Starts a proxy that adds the credential to each request, and applies `change` to each message. */
async function startProxy({ port, key, change = (message) => message }) {
  const proxy = createServer(async (incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    let body = await buffer(incoming);
    if (body.length > 0) {
      const message = JSON.parse(body.toString());
      const changed = change(message);
      if (changed !== message) {
        body = Buffer.from(JSON.stringify(changed));
        if (headers['mcp-name']) headers['mcp-name'] = changed.params.name ?? changed.params.uri;
      }
      headers['content-length'] = String(body.length);
      delete headers['transfer-encoding'];
    }
    const sent = request({ port, path: '/mcp', method: incoming.method, headers });
    sent.on('error', () => outgoing.destroy());
    sent.on('response', (response) => {
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    sent.end(body);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (proxy.address());
  return { url: `http://localhost:${address.port}/mcp`, stop: () => proxy.closeAllConnections() ?? proxy.close() };
}

/**
 * Registers an account with a template and a pass.
 * @returns an API key for an agent
 */
async function fill(base) {
  let token = '';
  const post = async (path, body) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const person = { email: 'ada@example.com', name: 'Ada', accountName: 'Engines' };
  token = (await post('/v1/auth/register', { ...person, password: 'correct horse battery staple' })).accessToken;
  const image = (name) => `${base}/images/samples/${name}.png`;
  const images = { icon: image('icon'), logo: image('logo'), banner: image('banner') };
  const colors = { foregroundColor: '#fff', backgroundColor: '#135' };
  const template = { type: 'offer', title: 'Offer 123', issuerName: 'Engines', ...colors, ...images };
  await post('/v1/templates/123', template);
  await post('/v1/pass/123', { id: 'p1' });
  return (await post('/v1/auth/keys', { name: 'Suite' })).key;
}

/** Installs a package outside the repository. @returns the path of its program */
function install(name, version, folder) {
  const target = join(folder, `${name.replace(/\W/g, '-')}-${version}`);
  const args = ['install', '--prefix', target, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', [...args, `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (error ?? status !== 0) throw error ?? new Error(`npm could not install ${name}@${version}`);
  const path = join(target, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  return join(path, typeof bin === 'string' ? bin : /** @type {string} */ (Object.values(bin)[0]));
}

/** @returns a function that runs a program and returns its exit code and output */
function runner(node, folder) {
  return async (...args) => {
    const child = spawn(node, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, output: output + errors };
  };
}

/**
 * Runs the scenarios of a suite one by one. If a scenario fails, runs it again through the second proxy, which replaces
 * the fixed names of the suite.
 */
async function runSuite({ version, revision, options }, { run, program, plain, renaming }) {
  const { output } = await run(program, 'list', '--server', ...options);
  const scenarios = [...new Set([...output.matchAll(/^\s*-\s+([\w-]+)/gm)].map(([, name]) => name))];
  if (scenarios.length === 0) throw new Error(`The suite lists no scenarios: ${output}`);
  console.log(`\nSuite ${version}, protocol ${revision}`);
  let green = 0;
  for (const scenario of scenarios) {
    if (only.length > 0 && !only.includes(scenario)) continue;
    const runAt = ({ url }) => run(program, 'server', '--url', url, '--scenario', scenario, ...options);
    const first = await runAt(plain);
    const [, passed = '?', failed = '?'] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(first.output) ?? [];
    const counts = `checks: ${passed} passed, ${failed} failed`;
    if (only.length > 0) console.log(first.output);
    if (first.code === 0) green++;
    const isGreenRenamed = first.code !== 0 && (await runAt(renaming)).code === 0;
    console.log(
      `${scenario}: ${first.code === 0 ? 'green' : isGreenRenamed ? 'green when renamed' : 'red'} (${counts})`,
    );
  }
  if (only.length === 0) console.log(`${green} of ${scenarios.length} scenarios are green`);
}

/**
 * Makes all `calls` with the inspector's command line.
 * @returns true if all succeed
 */
async function inspect({ run, program, url }) {
  const failures = [];
  for (const era of ['legacy', 'modern']) {
    for (const [method, ...more] of calls) {
      const options = ['--transport', 'http', '--protocol-era', era, '--method', method, ...more];
      const { code, output } = await run(program, '--cli', url, ...options);
      console.log(`${era}, ${method}: ${code === 0 ? 'works' : `fails: ${output.trim().slice(0, 500)}`}`);
      if (code !== 0) failures.push(method);
    }
  }
  return failures.length === 0;
}

const folder = mkdtempSync(join(tmpdir(), 'passwright-conformance-'));
const port = await freePort();
const base = `http://localhost:${port}`;
const settings = { DATA_DIR: join(folder, 'data'), BASE_URL: base, PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' };
const service = await startService(loadConfig({ ...settings, LOG_LEVEL: 'silent' }));
const proxies = [];
try {
  const key = await fill(base);
  proxies.push(await startProxy({ port, key }), await startProxy({ port, key, change: rename }));
  const [plain, renaming] = proxies;
  const run = runner(installNode(nodeVersion, folder), folder);
  for (const suite of suites) {
    const program = install('@modelcontextprotocol/conformance', suite.version, folder);
    await runSuite(suite, { run, program, plain, renaming });
  }
  if (only.length === 0) {
    console.log(`\nInspector ${inspectorVersion}`);
    const program = install('@modelcontextprotocol/inspector', inspectorVersion, folder);
    if (!(await inspect({ run, program, url: plain.url }))) process.exitCode = 1;
  }
} finally {
  for (const proxy of proxies) proxy.stop();
  await service.stop('suite done');
  rmSync(folder, { recursive: true, force: true });
}
