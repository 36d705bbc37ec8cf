import { Catch } from '@nestjs/common';
import type { AppError } from '@passwright/core';
import { AppErrorFilter, requestId } from '@passwright/http';
import { rejectionHtml } from '@passwright/passes';
import type { Request, Response } from 'express';
import { pageHeaders, rootOf } from './page.js';
import { prefersPage } from './prefers-page.js';
import { refusalPage } from './refusal-page.js';

/** Matches the addresses that holders open: web views, bundles, and links to wallets. */
const ofHolders = /^\/(?:p\/|v1\/pass\/[^/]+\/(?:bundle|[^/]+\/[^/]+)\/wallet[AB]$)/;

/**
 * Sends browsers a page for each failure, with the same status and headers as for programs, which get the error body.
 * Holders get the page in their language.
 */
@Catch()
export class PageErrorFilter extends AppErrorFilter {
  private readonly root: string;

  constructor(baseUrl: string) {
    super();
    this.root = rootOf(baseUrl);
  }

  protected override send(failure: AppError, request: Request, response: Response): void {
    if (request.method === 'GET' || request.method === 'HEAD') response.vary('Accept');
    if (!prefersPage(request)) super.send(failure, request, response);
    else if (ofHolders.test(request.path)) response.send(rejectionHtml(failure, request, response));
    else {
      const page = refusalPage(failure, requestId(request, response), this.root);
      response.set(pageHeaders(page)).send(page.html);
    }
  }
}
