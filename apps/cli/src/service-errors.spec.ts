import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { PasswrightError } from '@passwright/client';
import { Context } from './context.js';
import { sayFailure } from './service-errors.js';

const dir = mkdtempSync(join(tmpdir(), 'errors-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Returns what the program prints for an error. @param isConnected true if it has looked up its key before */
async function said(code: string, env: Record<string, string>, isConnected = true): Promise<string> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const error = new PasswrightError('The service rejects the key.', { code, statusCode: 401 });
  const context = new Context({
    stdin,
    stdout,
    stderr,
    env: { HOME: dir, XDG_CONFIG_HOME: dir, ...env },
    cwd: dir,
    signal,
  });
  if (isConnected) await context.connection();
  sayFailure(error, context);
  return String(stderr.read());
}

it.each(['unauthorized', 'token_expired', 'api_key_required'])(
  'the hint for %s names PASSWRIGHT_KEY if the key comes from there, because a login would change nothing',
  async (code) => {
    const env = { PASSWRIGHT_URL: 'http://localhost:3000', PASSWRIGHT_KEY: 'pw_live_1' };
    expect(await said(code, env)).toContain('The key is from PASSWRIGHT_KEY: set it to a valid');
    // A login sends no key.
    for (const hint of [await said(code, env, false), await said(code, {}, false)]) {
      expect(hint).toContain('passwright login');
      expect(hint).not.toContain('PASSWRIGHT_KEY');
    }
  },
);
