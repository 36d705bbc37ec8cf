import { Catch } from '@nestjs/common';
import type { AppError } from '@passwright/core';
import { AppErrorFilter } from '@passwright/http';
import { prefersPage } from '@passwright/passes';
import type { Request, Response } from 'express';
import { errorHtml } from './error-html.js';
import { errorHelpUrl, rootOf } from './page.js';

/**
 * Sends browsers a page instead of the error body, with the same status and headers. Holders get the page in their
 * language.
 */
@Catch()
export class PageErrorFilter extends AppErrorFilter {
  private readonly root: string;

  constructor(baseUrl: string) {
    super(errorHelpUrl(baseUrl));
    this.root = rootOf(baseUrl);
  }

  protected override send(failure: AppError, request: Request, response: Response): void {
    if (request.method === 'GET' || request.method === 'HEAD') response.vary('Accept');
    if (prefersPage(request)) response.send(errorHtml(failure, request, response, this.root));
    else super.send(failure, request, response);
  }
}
