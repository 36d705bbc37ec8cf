import type { ServerResponse } from 'node:http';
import { RateLimited } from '@passwright/core';
import type { WebPage } from '@passwright/wallet-renderers';
import { formPage, type FormPageContent } from './form-page.js';

/** A page and its HTTP status. */
export interface PageResponse {
  readonly status: number;
  readonly page: WebPage;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Maximum size of a form in bytes. */
export const formBytes = 8 * 1024;

export function pageResponse(status: number, content: FormPageContent): PageResponse {
  return { status, page: formPage(content) };
}

/** Sends a private page. Browsers do not cache it, and do not send its URL, which may contain a code, as a referrer. */
export function sendPage(response: ServerResponse, { status, page, headers = {} }: PageResponse): string {
  response.statusCode = status;
  const all = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': 'en',
    'Content-Security-Policy': page.contentSecurityPolicy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    ...headers,
  };
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
  return page.html;
}

/** Parses a form that a browser sent as `application/x-www-form-urlencoded`. */
export function formOf(body: unknown): URLSearchParams {
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '');
}

/** Returns the error page for a rate-limited request. @throws any other error unchanged */
export function rejectionOf(error: unknown, baseUrl: string): PageResponse {
  if (!(error instanceof RateLimited)) throw error;
  return {
    ...pageResponse(429, {
      baseUrl,
      heading: 'Too many attempts',
      state: { kind: 'waiting', text: 'Wait a while, then go back and try again.' },
      paragraphs: [error.message],
    }),
    headers: error.headers,
  };
}
