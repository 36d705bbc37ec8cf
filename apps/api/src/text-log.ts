import type { DestinationStream } from 'pino';
import { styled, type Style } from './terminal.js';

/** A line of the JSON log: a request, or a message. */
interface Line {
  readonly [detail: string]: unknown;
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly code?: string;
  readonly reason?: string;
  readonly aborted?: boolean;
  readonly context?: string;
  readonly stack?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
}

type Paint = (style: Style, text: string) => string;

const levels: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/**
 * Rewrites the JSON lines of the log for a person at a terminal. Each request is one line, with the reason and the
 * request id of an error.
 */
export function textLog(destination: DestinationStream, hasColors: boolean): DestinationStream {
  const paint: Paint = (style, text) => styled(style, text, hasColors);
  return {
    write: (json) => {
      const line = JSON.parse(json) as Line;
      const time = paint('dim', new Date(line.time).toLocaleTimeString('en-GB'));
      destination.write(`${time} ${line.msg === 'request' ? requestText(line, paint) : messageText(line, paint)}\n`);
    },
  };
}

function requestText(line: Line, paint: Paint): string {
  const { method = '', path = '', status = 0, durationMs = 0, code, reason = '', aborted, requestId } = line;
  const style = styleOf(status);
  const parts = [
    paint('bold', `${method.padEnd(6)} ${path}`),
    paint(style, String(status)),
    paint('dim', `${durationMs} ms`),
    aborted ? paint('yellow', 'the client disconnected') : '',
    code === undefined ? '' : paint(style, `${code}: ${reason.replace(/\s+/g, ' ')}`),
    // Show the request id, which people quote when they ask for help.
    status >= 400 && requestId !== undefined ? paint('dim', requestId) : '',
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function styleOf(status: number): Style {
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
}

function messageText(line: Line, paint: Paint): string {
  const { level, time: _time, pid: _pid, hostname: _hostname, msg, context, stack, err, ...details } = line;
  const { type = 'Error', message = '', stack: errorStack, ...errorDetails } = err ?? {};
  const [name = '', style = 'dim'] = levels[level] ?? [];
  const all = { ...details, ...errorDetails };
  const textStyle = name === '' ? 'bold' : style;
  const head = [
    paint(style, name),
    paint('dim', context === undefined ? '' : `[${context}]`),
    paint(textStyle, msg ?? ''),
    paint(textStyle, err === undefined ? '' : `${type}: ${message}`),
    paint('dim', Object.keys(all).length === 0 ? '' : JSON.stringify(all)),
  ];
  return head.filter((part) => part !== '').join(' ') + paint('dim', framesOf(stack ?? errorStack ?? ''));
}

/** Returns the lines of a stack trace below its message. */
function framesOf(stack: string): string {
  const begin = stack.indexOf('\n    at ');
  return begin < 0 ? '' : stack.slice(begin);
}
