import type { IncomingMessage } from 'node:http';
import { UnsupportedMediaType } from '@passwright/core';
import { mediaType } from '../request/media-type.js';

/** Requires a body that is not compressed and declares one of the accepted types. @throws UnsupportedMediaType */
export function requirePlainText(request: IncomingMessage, taken: readonly string[]): void {
  const sent = mediaType(request);
  if (!taken.includes(sent)) {
    const other = sent === '' ? '' : `, not ${sent.slice(0, 100)}`;
    throw new UnsupportedMediaType(`This route takes ${taken[0]}${other}: one record per line.`);
  }
  if (!['', 'identity'].includes(request.headers['content-encoding'] ?? '')) {
    throw new UnsupportedMediaType('Content-Encoding must be absent: lines are read as they arrive.');
  }
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new UnsupportedMediaType('Lines are read as UTF-8 only: leave out the charset, or send charset=utf-8.');
  }
}
