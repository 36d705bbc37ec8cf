import type { ServerResponse } from 'node:http';
import type { AppError } from '@passwright/core';
import { requestId } from '@passwright/http';
import { type PageRequest, rejectionHtml } from '@passwright/passes';
import { errorPage } from './error-page.js';
import { pageHeaders } from './page.js';

/** Matches the addresses that holders open: web views, bundles, and links to wallets. */
const ofHolders = /^\/(?:p\/|v1\/pass\/[^/]+\/(?:bundle|[^/]+\/[^/]+)\/wallet[AB]$)/;

/**
 * Builds the page that shows a failure to a browser, for holders in their own language. Sets the page's headers on the
 * response.
 * @param root the path of the service in its public address, without a slash at its end
 * @returns the HTML to send
 */
export function errorHtml(
  failure: AppError,
  request: PageRequest & { readonly path: string },
  response: ServerResponse,
  root: string,
): string {
  if (ofHolders.test(request.path)) return rejectionHtml(failure, request, response);
  const page = errorPage(failure, requestId(request, response), root);
  response.setHeaders(new Map(Object.entries(pageHeaders(page))));
  return page.html;
}
