import type { AbstractHttpAdapter } from '@nestjs/core';
import { isTagged, namesTag, parseTags } from '@passwright/core';
import type { Response } from 'express';
import { makePrivate } from './private-reads.js';

/**
 * Makes an app send `Tagged` results: the body with its `ETag`, or 304 without a body if a read's `If-None-Match` names
 * that tag. Only the caller's own cache may store the response, and must revalidate it each time.
 */
export function sendTaggedResponses(adapter: Pick<AbstractHttpAdapter, 'reply'>): void {
  const reply: AbstractHttpAdapter['reply'] = adapter.reply.bind(adapter);
  adapter.reply = (response: Response, result: unknown, status?: number) =>
    reply(response, taggedBody(result, response), status) as unknown;
}

/**
 * Sets the headers of a `Tagged` result, and the status 304 if the caller knows the tag.
 * @returns the body to send; any other result unchanged
 */
export function taggedBody(result: unknown, response: Response): unknown {
  if (!isTagged(result)) return result;
  const { body, etag } = result;
  response.setHeader('ETag', etag);
  makePrivate(response);
  const { method, headers } = response.req;
  const known = headers['if-none-match'];
  if ((method !== 'GET' && method !== 'HEAD') || known === undefined || !namesTag(parseTags(known), etag)) return body;
  response.status(304);
  return undefined;
}
