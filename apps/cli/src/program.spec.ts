import { PassThrough, Readable } from 'node:stream';
import { runCli } from './program.js';

/** Runs a command line that needs no service. */
async function printed(line: string): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: {},
    cwd: __dirname,
    signal: new AbortController().signal,
  };
  const code = await runCli(line.split(' '), io);
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

it.each(['whoami', 'templates diff', 'passes export'])(
  'the help of `%s` lists its own options before those of every command',
  async (command) => {
    const { code, out } = await printed(`${command} --help`);
    expect([code, out]).toEqual([0, expect.stringMatching(/\nOptions:\n[^]*\nEverywhere:\n/)]);
  },
);

it.each(['templates', 'passes'])(
  'the help of `%s` describes its help command like the other commands',
  async (group) => {
    expect((await printed(`${group} --help`)).out).toMatch(/^ {2}help +Show help for a command\.$/m);
  },
);

it('an option of every command that is before the command is rejected with a hint where to put it', async () => {
  const { code, err } = await printed('--no-color whoami');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('Put it after the command, as in: passwright whoami --json'),
  ]);
});

it.each(['-', '/dev/stdin'])('an import of %s says that a table must be a file', async (path) => {
  const { code, err } = await printed(`passes import ${path} -t gym`);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^Error: The standard input is not a file\.\n {2}Save the table/),
  ]);
});
