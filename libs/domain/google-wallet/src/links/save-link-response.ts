import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GoogleLinkResponse } from './google-link.dto.js';
import type { GoogleLink } from './google-links.service.js';

/** Describes the redirect of a save link's route in OpenAPI. */
export const saveLinkRedirect = 'To Google, for browsers (`Accept: text/html`).';

/** Describes a save link in OpenAPI. */
export const saveLinkDescription =
  'What the link adds is written to Google when it is first asked for, and kept current from then on. Ask for it each time ' +
  'rather than keep it: hand out `walletBUrl`, which redirects browsers. Without a Google Wallet issuer it is a ' +
  'development link (`development: true`), which shows what would be sent and saves nothing.';

/**
 * Sends a save link: a redirect for browsers, JSON for programs. The link is a secret of the holder, so responses are
 * not cached and send no referrer.
 */
export function sendSaveLink(
  link: GoogleLink,
  { headers }: IncomingMessage,
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
  if (!headers.accept?.includes('text/html')) return { ...link, notes: [...link.notes] };
  response.writeHead(302, { Location: link.url }).end();
  return undefined;
}
