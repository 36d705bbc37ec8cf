import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { developmentSigning, namesTag, parseTags } from '@passwright/core';
import type { ApplePass } from './apple-passes.service.js';
import { isUnmodifiedSince } from './last-modified.js';

/** The properties of a package that are known before it is built. */
export type PackageHead = Pick<ApplePass, 'address' | 'identity' | 'etag' | 'lastModified'>;

/**
 * Sends a package. Does not build it for a HEAD request, or if the client already has it (304). Bypasses the framework,
 * which would copy all images into one buffer and hash it.
 */
export async function sendPackage(
  request: IncomingMessage,
  response: ServerResponse,
  pass: PackageHead,
  build: () => Promise<Buffer[]>,
): Promise<void> {
  if (isUnmodified(request, pass)) {
    response.writeHead(304, versionHeaders(pass)).end();
    return;
  }
  const headers = packageHeaders(pass);
  if (request.method === 'HEAD') {
    response.writeHead(200, headers).end();
    return;
  }
  sendParts(response, headers, await build());
}

/** Sends buffers one after another without copying them. */
export function sendParts(response: ServerResponse, headers: OutgoingHttpHeaders, parts: readonly Buffer[]): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.setHeader('Content-Length', length).writeHead(200, headers);
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

function versionHeaders({ etag, lastModified }: PackageHead): OutgoingHttpHeaders {
  return {
    ETag: etag,
    'Last-Modified': lastModified.toUTCString(),
    'Cache-Control': 'private, no-cache',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
  };
}

function packageHeaders(pass: PackageHead): OutgoingHttpHeaders {
  return {
    // Send no charset, because Safari would then download the package instead of opening it.
    'Content-Type': 'application/vnd.apple.pkpass',
    'Content-Disposition': `attachment; filename="${pass.address.templateId}.pkpass"`,
    ...versionHeaders(pass),
    ...(pass.identity.development && developmentSigning),
  };
}

/**
 * Checks the conditional headers. Ignores `If-Modified-Since` if the request has `If-None-Match` (RFC 9110 §13.2.2).
 */
function isUnmodified({ headers }: IncomingMessage, pass: PackageHead): boolean {
  if (headers['if-none-match'] !== undefined) return namesTag(parseTags(headers['if-none-match']), pass.etag);
  return isUnmodifiedSince(pass.lastModified, headers['if-modified-since']);
}
