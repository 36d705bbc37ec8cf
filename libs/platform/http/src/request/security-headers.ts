import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet, { type HelmetOptions } from 'helmet';

/** The hash of the only style attribute that Swagger UI writes. */
const swaggerUiStyles = ["'unsafe-hashes'", "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"];
const HSTS_SECONDS = 365 * 24 * 60 * 60;

/**
 * Sets the security headers of every response. By default, a browser may load nothing for the response. Other pages set
 * their own policy. Browsers insist on https only if the address uses https.
 */
export function securityHeaders(baseUrl: string): RequestHandler {
  const https = baseUrl.startsWith('https:');
  const api = helmet({
    ...common(https),
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
    },
  });
  const documentation = helmet({
    ...common(https),
    contentSecurityPolicy: {
      directives: { styleSrc: ["'self'", ...swaggerUiStyles], upgradeInsecureRequests: https ? [] : null },
    },
  });
  const [ofApi, ofDocumentation] = [headersOf(api), headersOf(documentation)];
  return (request, response, next) => {
    for (const [name, value] of isDocumentation(request.path) ? ofDocumentation : ofApi)
      response.setHeader(name, value);
    next();
  };
}

/** Returns the headers that helmet sets. Runs helmet once, because they are the same for every response. */
function headersOf(set: ReturnType<typeof helmet>): readonly (readonly [string, string])[] {
  const headers: [string, string][] = [];
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.setHeader = (name, value) => {
    headers.push([name, String(value)]);
    return response;
  };
  set(response.req, response, () => undefined);
  return headers;
}

function common(https: boolean): HelmetOptions {
  return {
    strictTransportSecurity: https ? { maxAge: HSTS_SECONDS, includeSubDomains: false } : false,
    // Allow any page to embed images. No response depends on a cookie, so embedding reveals nothing.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  };
}

function isDocumentation(path: string): boolean {
  return path === '/docs' || path.startsWith('/docs/');
}
