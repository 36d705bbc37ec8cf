import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogOutput } from './log-output.js';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
/** Rejects every write, like a file on a full disk. */
const FULL = '/dev/full';
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

/** Reads the pipe until the text is complete. @returns the text */
async function readUntil(isComplete: (text: string) => boolean): Promise<string> {
  for await (const text of read()) if (isComplete(text)) return text;
  throw new Error('The pipe was closed');
}

// Windows has no named pipes in folders.
(process.platform === 'win32' ? describe.skip : describe)('LogOutput', () => {
  it('LogOutput drops lines while its reader is stuck, and says how many before the next line', async () => {
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
      // Leave the descriptor open, because lines may still wait.
      break;
    }
  });

  it('LogOutput writes lines that failed when a new reader comes', async () => {
    const former = openSync(pipe, O_RDONLY | O_NONBLOCK);
    const fd = openSync(pipe, O_WRONLY | O_NONBLOCK);
    closeSync(former);
    const output = new LogOutput(fd);
    output.write('one\n');
    output.write('two\n');
    expect(await readUntil((text) => text === 'one\ntwo\n')).toBe('one\ntwo\n');
    closeSync(fd);
  });

  it('LogOutput keeps up with a fast reader again after a pipe was full', async () => {
    const fd = openSync(pipe, O_RDWR | O_NONBLOCK);
    const output = new LogOutput(fd);
    const lines = 3 * 1024;
    for (let line = 0; line < lines; line++) output.write(LINE);
    const text = await readUntil((some) => some.length === lines * LINE.length);
    expect(text).toBe(LINE.repeat(lines));
    output.write('later\n');
    expect(await readUntil((some) => some === 'later\n')).toBe('later\n');
    closeSync(fd);
  });

  it('LogOutput writes whole lines, so that the lines of several processes do not mix', async () => {
    const fd = openSync(pipe, O_RDWR | O_NONBLOCK);
    const [one, other] = [new LogOutput(fd), new LogOutput(fd)];
    const lines = 1024;
    for (let line = 0; line < lines; line++) {
      one.write(LINE);
      other.write(LINE.replaceAll('x', 'y'));
    }
    const text = await readUntil((some) => some.length === 2 * lines * LINE.length);
    expect(new Set(text.split('\n'))).toEqual(new Set(['x'.repeat(1023), 'y'.repeat(1023), '']));
    closeSync(fd);
  });
});

// Linux has the device; other systems have no file that rejects every write.
(existsSync(FULL) ? it : it.skip)('the end of LogOutput does not wait for a disk that is full', () => {
  const output = new LogOutput(openSync(FULL, 'w'));
  const written = jest.spyOn(Atomics, 'wait');
  output.write('one\n');
  output.write('two\n');
  output.end();
  expect(written).not.toHaveBeenCalled();
  written.mockRestore();
});
