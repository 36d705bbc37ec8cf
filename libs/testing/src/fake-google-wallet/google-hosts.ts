import type { IncomingMessage } from 'node:http';
import { compactJwt, jsonObject } from './compact-jwt.js';
import type { GoogleRequest, GoogleService } from './request-log.js';

/** Google's host names with their services. */
export const googleHosts: Readonly<Record<string, readonly GoogleService[]>> = {
  'walletobjects.googleapis.com': ['api'],
  'oauth2.googleapis.com': ['token'],
  'pay.google.com': ['save', 'keys'],
};

const MAX_BODY_BYTES = 1 << 20;
const paths: readonly (readonly [prefix: string, service: GoogleService])[] = [
  ['/walletobjects/', 'api'],
  ['/token', 'token'],
  ['/gp/v/save/', 'save'],
  ['/gp/m/issuer/keys', 'keys'],
];

/**
 * Returns the service of a request. A host name of Google has only its own services.
 * @returns null for an unknown service
 */
export function serviceOf({ url = '', headers: { host = '' } }: IncomingMessage): GoogleService | null {
  const service = paths.find(([prefix]) => url.startsWith(prefix))?.[1];
  const here = googleHosts[host.replace(/:\d+$/, '').toLowerCase()];
  return service && (!here || here.includes(service)) ? service : null;
}

/**
 * Reads the body.
 * @returns null if it is larger than 1 MiB
 * @throws Error if the client disconnects
 */
export async function bodyOf(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return sizeBytes > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

/** Creates the record of a request that has no response yet. */
export function requestOf(
  { method = '', url = '', headers }: IncomingMessage,
  service: GoogleService,
  body: string,
  at: Date,
): GoogleRequest {
  const override = method === 'POST' ? headers['x-http-method-override'] : undefined;
  return {
    service,
    method: String(override ?? method).toUpperCase(),
    path: url,
    body: jsonObject(body) ?? (body || null),
    at,
    status: null,
    reason: null,
  };
}

/**
 * Returns the JWT of a save link.
 * @param link the whole address, or only the JWT
 */
export function jwtOf(link: string): string {
  if (compactJwt(link)) return link;
  return /\/gp\/v\/save\/([^/?#]*)/.exec(link)?.[1] ?? '';
}
