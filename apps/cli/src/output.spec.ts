import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Output } from './output.js';

async function printed(print: (output: Output) => void, { json = false, colours = false } = {}): Promise<string> {
  const stdout = new PassThrough();
  const env = colours ? { FORCE_COLOR: '1' } : {};
  const output = new Output({ stdout, stderr: new PassThrough(), env });
  output.json = json;
  print(output);
  stdout.end();
  return text(stdout);
}

const name = 'a\u202eb\u001b[2Jc\u009b1md\u2067e';

it.each([true, false])(
  'Output removes direction characters, and terminal codes except its own (colours: %s)',
  async (colours) => {
    const line = await printed((output) => output.line(`${name} ${output.style('red', 'ours')}`), { colours });
    expect(line).not.toMatch(/[\u202e\u2067\u009b]|\u001b\[2J/);
    expect(line.includes('\u001b[31mours')).toBe(colours);
  },
);

it('Output escapes special characters in JSON so that a terminal shows them and programs read the same values', async () => {
  for (const print of [(output: Output) => output.result({ name }), (output: Output) => output.item({ name })]) {
    const json = await printed(print, { json: true });
    expect(JSON.parse(json)).toEqual({ name });
    expect(json).not.toMatch(/[\u202e\u2067\u009b\u001b]/);
  }
});

it.each([
  ['exec', 'npx passwright login'],
  ['run-script', 'npx passwright login'],
  [undefined, 'passwright login'],
])(
  'Output prefixes the commands in its hints with npx if npm has started the program (npm_command: %s)',
  async (npm_command, typed) => {
    const stderr = new PassThrough();
    const output = new Output({ stdout: new PassThrough(), stderr, env: { npm_command } });
    expect(output.command('login')).toBe(typed);
    output.failure('No service is known yet.', {
      hint: 'Log in: passwright login\nSee passwright.yaml, npx passwright login.',
    });
    stderr.end();
    const said = `Error: No service is known yet.\n  Log in: ${typed}\n  See passwright.yaml, npx passwright login.\n`;
    expect(await text(stderr)).toBe(said);
  },
);
