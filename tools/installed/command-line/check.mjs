// Uses the installed `passwright` with a running service: pushes templates, imports passes and runs the doctor.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROWS = 300;
const { PASSWRIGHT_URL = '', SERVICE_FOLDER = '' } = process.env;
const dir = mkdtempSync(join(tmpdir(), 'passwright-command-line-'));
const template = join(dir, 'templates/sundown-coffee.yaml');

try {
  checkTemplates();
  checkPasses();
  checkDoctor();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function checkTemplates() {
  passwright(0, 'init', '--url', PASSWRIGHT_URL);
  passwright(0, 'templates', 'push');
  const pushed = readFileSync(template, 'utf8');
  writeFileSync(template, pushed.replace(/^title: .*$/m, 'title: Tea for two'));
  passwright(3, 'templates', 'diff');
  passwright(0, 'templates', 'push');
  passwright(0, 'templates', 'diff');
  rmSync(join(dir, 'templates'), { recursive: true });
  passwright(0, 'templates', 'pull');
  assert.match(readFileSync(template, 'utf8'), /Tea for two/, 'the pull brings the pushed title back');
}

function checkPasses() {
  const rows = Array.from({ length: ROWS }, (_, index) => `Person ${index},${index}`);
  writeFileSync(join(dir, 'people.csv'), `Name,Seat\n${rows.join('\n')}\n`);
  const words = ['passes', 'import', 'people.csv', '-t', 'sundown-coffee', '--map', 'metadata.name=Name'];
  const { created, failed } = JSON.parse(passwright(0, ...words, '--json'));
  assert.deepEqual({ created, failed }, { created: ROWS, failed: 0 });
  assert.match(passwright(0, ...words), /was imported before/);
  assert.equal(readFileSync(join(dir, 'people.results.csv'), 'utf8').trim().split('\n').length, ROWS + 1);
  passwright(0, 'passes', 'export', '-t', 'sundown-coffee', '-o', 'passes.ndjson');
  assert.equal(readFileSync(join(dir, 'passes.ndjson'), 'utf8').trim().split('\n').length, ROWS);
  console.log(`templates pushed and pulled, ${ROWS} passes imported and exported`);
}

/** Checks that the doctor runs only on a machine where the service is installed. */
function checkDoctor() {
  assert.match(passwright(1, 'doctor'), /The service is not installed here/);
  const found = run(SERVICE_FOLDER, ['doctor']);
  assert.match(found.stdout, /The schema is that of this version/);
  console.log('the doctor of the service ran');
}

function passwright(status, ...words) {
  const result = run(dir, words);
  assert.equal(result.status, status, `passwright ${words.join(' ')}\n${result.stdout}${result.stderr}`);
  return result.stdout || result.stderr;
}

function run(cwd, words) {
  const env = { ...process.env, XDG_CONFIG_HOME: dir };
  return spawnSync('passwright', words, { cwd, env, encoding: 'utf8', shell: process.platform === 'win32' });
}
