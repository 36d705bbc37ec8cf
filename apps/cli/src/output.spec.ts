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
  'Output prints neither direction characters nor foreign terminal codes (colours: %s)',
  async (colours) => {
    const line = await printed((output) => output.line(`${name} ${output.style('red', 'ours')}`), { colours });
    expect(line).not.toMatch(/[\u202e\u2067\u009b]|\u001b\[2J/);
    expect(line.includes('\u001b[31mours')).toBe(colours);
  },
);

it('Output prints JSON that programs read unchanged and that terminals show completely', async () => {
  for (const print of [(output: Output) => output.result({ name }), (output: Output) => output.item({ name })]) {
    const json = await printed(print, { json: true });
    expect(JSON.parse(json)).toEqual({ name });
    expect(json).not.toMatch(/[\u202e\u2067\u009b\u001b]/);
  }
});
