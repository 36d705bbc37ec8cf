import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogOutput } from './log-output.js';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const LINE = `${'x'.repeat(1023)}\n`;

let folder: string;
let pipe: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'passwright log '));
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Starts a program that reads the pipe. @returns what it has read so far, after each part */
async function* read(): AsyncGenerator<string> {
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(reader, 'exit');
  let text = '';
  try {
    for await (const part of reader.stdout) yield (text += String(part));
  } finally {
    reader.kill();
    await ended;
  }
}

// Windows has no named pipes in folders.
(process.platform === 'win32' ? describe.skip : describe)('LogOutput', () => {
  it('the log drops lines while its reader is stuck, and says how many before the next line', async () => {
    const fd = openSync(pipe, O_RDWR | O_NONBLOCK);
    const output = new LogOutput(fd);
    output.onDropped = (lines) => output.write(`lost ${lines}\n`);
    const lines = 8 * 1024;
    for (let line = 0; line < lines; line++) output.write(LINE);
    for await (const text of read()) {
      output.write('later\n');
      if (!/lost \d+\nlater\n/.test(text)) continue;
      const dropped = Number(/lost (\d+)/.exec(text)?.[1]);
      const written = text.split(LINE).length - 1;
      expect(dropped).toBeGreaterThan(0);
      // Some of the later lines may be lost too.
      expect(written + dropped).toBeGreaterThanOrEqual(lines);
      expect(written).toBeGreaterThanOrEqual((4 * 1024 * 1024) / LINE.length);
      break;
    }
    closeSync(fd);
  });

  it('the log writes lines that failed when a new reader comes', async () => {
    const former = openSync(pipe, O_RDONLY | O_NONBLOCK);
    const fd = openSync(pipe, O_WRONLY | O_NONBLOCK);
    closeSync(former);
    const output = new LogOutput(fd);
    output.write('one\n');
    output.write('two\n');
    for await (const text of read()) {
      if (text !== 'one\ntwo\n') continue;
      closeSync(fd);
    }
  });

  it('the end of the process does not wait for a log that accepts no lines', () => {
    const fd = openSync('/dev/full', 'w');
    const output = new LogOutput(fd);
    output.write('one\n');
    output.write('two\n');
    output.end();
    closeSync(fd);
  });
});
