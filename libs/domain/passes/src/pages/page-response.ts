import type { IncomingMessage } from 'node:http';
import { developmentSigning } from '@passwright/core';
import { type Reader, readerOf, type WebPage } from '@passwright/wallet-renderers';

/** Returns the headers of an HTML page. @param development true if the development chain signs a package that it links to */
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

/** Returns the reader of a page. @param lang the query parameter of that name, unchecked */
export function readerOfRequest({ headers }: IncomingMessage, lang?: unknown): Reader {
  return readerOf({
    lang: typeof lang === 'string' ? lang : undefined,
    acceptLanguage: headers['accept-language'],
    userAgent: headers['user-agent'],
  });
}
