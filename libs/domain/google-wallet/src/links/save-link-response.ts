import type { IncomingMessage, ServerResponse } from 'node:http';
import { prefersPage } from '@passwright/passes';
import type { GoogleLinkResponse } from './google-link.dto.js';
import type { GoogleLink } from './google-links.service.js';

/** Describes the redirect of a save link's route in OpenAPI. */
export const saveLinkRedirect = 'Redirects browsers (`Accept: text/html`) to Google.';

/** Describes a save link in OpenAPI. */
export const saveLinkDescription =
  'The first request writes the passes to Google, and the service keeps them up to date there. Do not store ' +
  'the link: request it each time, or hand out `walletBUrl`, which redirects browsers. Without a Google Wallet ' +
  'issuer it is a development link (`development: true`), which shows the passes but saves nothing.';

/**
 * Sends a save link: a redirect for browsers, JSON for programs. The link is a secret of the holder, so responses
 * forbid caching and referrers.
 */
export function sendSaveLink(
  link: GoogleLink,
  request: IncomingMessage,
  response: ServerResponse,
): GoogleLinkResponse | undefined {
  response.setHeaders(
    new Map(
      Object.entries({
        Vary: 'Accept',
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Robots-Tag': 'noindex',
        ...(link.development && { 'Passwright-Signing': 'development' }),
      }),
    ),
  );
  if (!prefersPage(request)) return { ...link, notes: [...link.notes] };
  response.writeHead(302, { Location: link.url }).end();
  return undefined;
}
