import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AppError, developmentSigning } from '@passwright/core';
import { type Reader, readerOf, type Rejection, rejectionPage, type WebPage } from '@passwright/wallet-renderers';
import { PassNotFound } from '../passes/passes.errors.js';

/** A request with its parsed query. */
export type PageRequest = IncomingMessage & { readonly query: Readonly<Record<string, unknown>> };

/**
 * Returns the headers of an HTML page.
 * @param development true if the page links to a package that a development certificate signs
 */
export function pageHeaders({ contentSecurityPolicy }: WebPage, development: boolean): Map<string, string> {
  return new Map(
    Object.entries({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy,
      'Cache-Control': 'private, no-cache',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      'X-Content-Type-Options': 'nosniff',
      ...(development && developmentSigning),
    }),
  );
}

/** Returns the reader of a page. @param lang the query parameter `lang`, not validated */
export function readerOfRequest({ headers }: IncomingMessage, lang?: unknown): Reader {
  return readerOf({
    lang: typeof lang === 'string' ? lang : undefined,
    acceptLanguage: headers['accept-language'],
    userAgent: headers['user-agent'],
  });
}

/**
 * Builds the page that tells holders, in their language, why there is no pass. Sets the headers of the response.
 * @returns the HTML to send
 */
export function rejectionHtml(failure: AppError, request: PageRequest, response: ServerResponse): string {
  const reader = readerOfRequest(request, request.query.lang);
  const page = rejectionPage(rejectionOf(failure), reader, response.getHeader('X-Request-Id')?.toString());
  response.setHeaders(pageHeaders(page, false));
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Language', reader.language);
  return page.html;
}

function rejectionOf(failure: AppError): Rejection {
  const { statusCode } = failure;
  if (statusCode === 410 || (failure instanceof PassNotFound && failure.wasDeleted)) return 'deleted';
  return statusCode < 500 && statusCode !== 429 ? 'notFound' : 'error';
}
