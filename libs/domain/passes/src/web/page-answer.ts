import { developmentSigning } from '@passwright/core';
import type { IncomingMessage } from 'node:http';
import { type Reader, readerOf, type WebPage } from '@passwright/wallet-renderers';

/** The headers of a page of ours. @param development whether a package it leads to is signed by the development chain */
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

/** Who asks for a page. @param lang the language that its address asks for, as it came */
export function readerOfRequest({ headers }: IncomingMessage, lang?: unknown): Reader {
  return readerOf({
    lang: typeof lang === 'string' ? lang : undefined,
    acceptLanguage: headers['accept-language'],
    userAgent: headers['user-agent'],
  });
}
