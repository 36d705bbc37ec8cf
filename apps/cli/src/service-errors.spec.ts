import { PassThrough } from 'node:stream';
import { PasswrightError } from '@passwright/client';
import { Context } from './context.js';
import { sayFailure } from './service-errors.js';

function said(code: string, env: Record<string, string>): string {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const error = new PasswrightError('The service rejects the key.', { code, statusCode: 401 });
  sayFailure(error, new Context({ stdin, stdout, stderr, env, cwd: '.', signal }));
  return String(stderr.read());
}

it.each(['unauthorized', 'token_expired', 'api_key_required'])(
  'the hint for %s names PASSWRIGHT_KEY if the key comes from there, because a login would change nothing',
  (code) => {
    expect(said(code, { PASSWRIGHT_KEY: 'pw_live_1' })).toContain('The key is from PASSWRIGHT_KEY: set it to a valid');
    expect(said(code, {})).toContain('passwright login');
    expect(said(code, {})).not.toContain('PASSWRIGHT_KEY');
  },
);
