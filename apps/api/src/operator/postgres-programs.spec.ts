import { outputOf } from './postgres-programs.js';

it('the error of the reader stays the error, although the program then fails too', async () => {
  const output = outputOf('yes', [], process.env);
  expect((await output.next()).value?.toString()).toContain('y\n');
  await expect(output.throw(new Error('psql has ended'))).rejects.toThrow('psql has ended');
});

it('a program that is not installed is named', async () => {
  await expect(outputOf('no-such-program', [], process.env).next()).rejects.toThrow('no-such-program is not installed');
});
