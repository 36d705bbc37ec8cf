import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Interrupted, WrongUsage } from './failures.js';
import type { Io } from './io.js';

/** Asks a person at a terminal. Writes to stderr, so that a redirected stdout gets only results. */
export class Prompt {
  constructor(private readonly io: Io) {}

  /** True if a person is at the terminal and can respond. */
  get possible(): boolean {
    return this.io.stdin.isTTY === true && this.io.stderr.isTTY === true;
  }

  /**
   * Asks for a text.
   * @param fallback the result if the user enters nothing
   */
  async ask(question: string, fallback?: string): Promise<string> {
    const response = await this.read(`${question}${fallback ? ` (${fallback})` : ''}: `, this.io.stderr);
    return response.trim() || (fallback ?? '');
  }

  /** Asks without showing the input. */
  async askSecret(question: string): Promise<string> {
    this.io.stderr.write(`${question}: `);
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const response = await this.read('', nowhere).finally(() => this.io.stderr.write('\n'));
    return response.trim();
  }

  /**
   * Asks a yes-or-no question.
   * @param usual the result if the user enters nothing; default: no
   */
  async confirm(question: string, usual = false): Promise<boolean> {
    const response = (await this.ask(`${question} [${usual ? 'Y/n' : 'y/N'}]`)).toLowerCase();
    return response === '' ? usual : response === 'y' || response === 'yes';
  }

  /** Reads all of stdin, at most 64 KiB, if it is a pipe or a file. */
  async readAll(): Promise<string> {
    let text = '';
    for await (const chunk of this.io.stdin) {
      text += String(chunk);
      if (text.length > 65_536) throw new WrongUsage('The input on stdin is too long for a key or a password.');
    }
    return text.trim();
  }

  private async read(question: string, output: Writable): Promise<string> {
    const lines = createInterface({ input: this.io.stdin, output, terminal: this.possible });
    const stop = new AbortController();
    // In raw mode, readline gets Ctrl-C as a key instead of a signal.
    lines.once('SIGINT', () => stop.abort());
    lines.once('close', () => stop.abort());
    try {
      return await lines.question(question, { signal: AbortSignal.any([stop.signal, this.io.signal]) });
    } catch (error) {
      if (stop.signal.aborted || this.io.signal.aborted) throw new Interrupted('Stopped; nothing was changed.');
      throw error;
    } finally {
      lines.close();
    }
  }
}
