import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';
import { tokenOf } from './fake-apns-rules.js';

/** A request that the server has read, with or without a response. */
export interface FakeApnsPush {
  /** The push token in the path; empty if there is none. */
  readonly token: string;
  readonly topic: string | null;
  /** The id that the client sent, or else an id from the server. */
  readonly apnsId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly certificateUid: string | null;
  readonly at: Date;
  /** The status of the response; null without a response. 200 means that the device gets the push. */
  status: number | null;
  reason: string | null;
}

/**
 * Creates the record of a request that has no response yet.
 * @param at the time when the server read the request
 */
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
