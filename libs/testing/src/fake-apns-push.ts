import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';
import { tokenOf } from './fake-apns-rules.js';

/** A request that the server has read, whatever became of it. */
export interface FakeApnsPush {
  /** The push token of the path, empty where it holds none. */
  readonly token: string;
  readonly topic: string | null;
  /** As the client sent it, else made by the server. */
  readonly apnsId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly certificateUid: string | null;
  readonly at: Date;
  /** What was answered: 200 means that the device gets it. Null as long as there is no answer. */
  status: number | null;
  reason: string | null;
}

/** Not answered yet. @param at when it was read */
export function pushOf(
  headers: IncomingHttpHeaders,
  body: string,
  certificateUid: string | null,
  at: Date,
): FakeApnsPush {
  const text = (name: string) => (headers[name] === undefined ? null : String(headers[name]));
  return {
    token: tokenOf(headers),
    topic: text('apns-topic'),
    apnsId: text('apns-id') ?? randomUUID(),
    headers,
    body,
    certificateUid,
    at,
    status: null,
    reason: null,
  };
}
