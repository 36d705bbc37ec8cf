import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SelfServiceOptions } from '@passwright/accounts';
import { Public, WireConventions } from '@passwright/core';
import { prefersPage } from '@passwright/passes';
import type { Request, Response } from 'express';
import { ReadinessService } from '../health/readiness.service.js';
import { faviconIco, faviconSvg } from '../pages/favicon.js';
import { pageHeaders, rootOf } from '../pages/page.js';
import { sendFile, servedFile } from '../served-file.js';
import { version } from '../version.js';
import { startPage } from './start-page.js';

const A_DAY = 'public, max-age=86400';
const svg = servedFile('image/svg+xml', faviconSvg, A_DAY);
const ico = servedFile('image/x-icon', faviconIco, A_DAY);

/** Serves the address of the service itself: a start page for browsers, its name and links for programs. */
@ApiExcludeController()
@WireConventions()
@Controller()
export class StartController {
  constructor(
    private readonly readiness: ReadinessService,
    private readonly options: SelfServiceOptions,
  ) {}

  // Apply no rate limit, so that the page works without the database.
  @Get()
  @Public({ unlimited: true })
  async start(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.vary('Accept');
    if (prefersPage(request)) await this.page(response);
    else response.set('Cache-Control', 'public, no-cache').json(summaryOf(this.options.baseUrl));
  }

  @Get('favicon.svg')
  @Public({ unlimited: true })
  svg(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendFile(svg, request, response);
  }

  /** Serves the icon at the address that browsers use by default. */
  @Get('favicon.ico')
  @Public({ unlimited: true })
  ico(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendFile(ico, request, response);
  }

  private async page(response: Response): Promise<void> {
    const { baseUrl, registration, signsInByProvider = false } = this.options;
    const problem = await this.readiness.problem();
    const page = startPage({ root: rootOf(baseUrl), version, problem, registration, signsInByProvider });
    response.set(pageHeaders(page)).send(page.html);
  }
}

function summaryOf(baseUrl: string): object {
  return {
    name: 'Passwright',
    version,
    links: {
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
      login: `${baseUrl}/v1/auth/login`,
      health: `${baseUrl}/health/ready`,
    },
  };
}
