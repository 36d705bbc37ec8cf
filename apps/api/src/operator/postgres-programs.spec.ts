import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf, runOn } from './postgres-programs.js';

it("outputOf throws the error of its reader instead of the program's later error", async () => {
  const output = outputOf('yes', [], process.env);
  expect((await output.next()).value?.toString()).toContain('y\n');
  await expect(output.throw(new Error('psql has ended'))).rejects.toThrow('psql has ended');
});

it('outputOf names a program that is not installed', async () => {
  await expect(outputOf('no-such-program', [], process.env).next()).rejects.toThrow('no-such-program is not installed');
});

it.each([
  ['before the host', 'postgres://ada:s%26t@db.example/name?sslmode=require&options=-c%20jit%3Doff'],
  ['in the query', 'postgres://ada@db.example/name?sslmode=require&password=s%26t&options=-c%20jit%3Doff'],
  [
    'in both places; the query takes precedence',
    'postgres://ada:x@db.example/name?sslmode=require&password=s%26t&options=-c%20jit%3Doff',
  ],
])(
  'a program gets the database password in its environment, not on its command line, if the address has the password %s',
  async (_, url) => {
    const dir = mkdtempSync(join(tmpdir(), 'postgres programs '));
    const seen = join(dir, 'seen');
    const script = `require('node:fs').writeFileSync(process.env.SEEN, [process.env.PGPASSWORD, ...process.argv.slice(1)].join(' '))`;
    await runOn({ url, environment: { ...process.env, SEEN: seen } }, process.execPath, ['-e', script, '--']);
    expect(readFileSync(seen, 'utf8')).toBe(
      's&t --dbname=postgres://ada@db.example/name?sslmode=require&options=-c%20jit%3Doff',
    );
    rmSync(dir, { recursive: true });
  },
);
