import { stripVTControlCharacters } from 'node:util';
import { textLog } from './text-log.js';

const time = Date.parse('2026-11-26T08:00:00');
const base = { level: 30, time, pid: 1, hostname: 'node-1' };

/** Returns what the text log writes for a line of the JSON log. */
function shown(line: object, hasColors = false): string {
  let text = '';
  textLog({ write: (part) => (text += part) }, hasColors).write(`${JSON.stringify({ ...base, ...line })}\n`);
  return text;
}

const request = {
  msg: 'request',
  requestId: 'r-1',
  method: 'POST',
  route: '/v1/templates/:id',
  path: '/v1/templates/gold',
};

describe('textLog', () => {
  it('a request is logged as one line with its time, method, path, status and duration', () => {
    expect(shown({ ...request, status: 200, durationMs: 12 })).toBe('08:00:00 POST   /v1/templates/gold  200  12 ms\n');
  });

  it('the line of a rejected request has the code and the message of the error, and the request id', () => {
    const failure = { code: 'validation_failed', reason: 'title is missing;\nicon is missing' };
    expect(shown({ ...request, status: 400, durationMs: 3, ...failure })).toBe(
      '08:00:00 POST   /v1/templates/gold  400  3 ms  validation_failed: title is missing; icon is missing  r-1\n',
    );
  });

  it('the line of a request says that its client disconnected', () => {
    expect(shown({ ...request, status: 200, durationMs: 3, aborted: true })).toContain('the client disconnected');
  });

  it.each([
    [200, 32],
    [304, 36],
    [404, 33],
    [503, 31],
  ])('the status %i has the colour %i, and colours change nothing else', (status, colour) => {
    const coloured = shown({ ...request, status, durationMs: 3 }, true);
    expect(coloured).toContain(`\u001b[${colour}m${status}`);
    expect(stripVTControlCharacters(coloured)).toBe(shown({ ...request, status, durationMs: 3 }));
  });

  it('control characters are escaped in paths and messages', () => {
    const failure = { code: 'not_found', reason: 'No "\u001b[2J"' };
    const line = shown({ ...request, path: '/\u001b[31m', status: 404, durationMs: 1, ...failure });
    expect(line).not.toContain('\u001b');
    expect(line).toContain('/\\u001b[31m');
  });

  it('a message is logged with its level, context and details', () => {
    expect(shown({ msg: 'listening', host: '127.0.0.1', port: 3000 })).toBe(
      '08:00:00 listening {"host":"127.0.0.1","port":3000}\n',
    );
    expect(shown({ level: 40, context: 'Webhooks', msg: 'slow' })).toBe('08:00:00 WARN [Webhooks] slow\n');
  });

  it('an error is logged with its type, message, details and stack frames', () => {
    const stack = 'TypeError: x\n    at a (b.js:1:2)';
    const err = { type: 'TypeError', message: 'x', stack, sqlState: '23505' };
    expect(shown({ level: 50, context: 'Http', err })).toBe(
      '08:00:00 ERROR [Http] TypeError: x {"sqlState":"23505"}\n    at a (b.js:1:2)\n',
    );
    expect(shown({ level: 50, context: 'Jobs', msg: 'broken', stack: 'Error: broken\n    at c (d.js:3:4)' })).toBe(
      '08:00:00 ERROR [Jobs] broken\n    at c (d.js:3:4)\n',
    );
  });
});
