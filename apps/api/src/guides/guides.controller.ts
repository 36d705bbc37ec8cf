import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SelfServiceOptions } from '@passwright/accounts';
import { Public, RouteNotFound, WireConventions } from '@passwright/core';
import type { WebPage } from '@passwright/wallet-renderers';
import type { Request, Response } from 'express';
import { rootOf } from '../pages/page.js';
import { sendFile, servedFile, type ServedFile } from '../served-file.js';
import { guidePage, searchPage } from './guide-pages.js';
import { GuidesService } from './guides.service.js';

const SEARCHED_LENGTH = 100;
const A_DAY = 'public, max-age=86400';

/** Serves the guides of the release as pages, with a search. */
@ApiExcludeController()
@WireConventions()
@Controller('guides')
export class GuidesController {
  private readonly root: string;
  /** The pages of guides by path, which change only with a release. */
  private readonly pages = new Map<string, PageFile>();

  constructor(
    private readonly guides: GuidesService,
    { baseUrl }: SelfServiceOptions,
  ) {
    this.root = rootOf(baseUrl);
  }

  @Get()
  @Public()
  overview(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.show('', request, response);
  }

  @Get('search')
  @Public()
  async search(@Query('q') q: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const words = (typeof q === 'string' ? q : '').slice(0, SEARCHED_LENGTH).trim();
    const guides = await this.guides.get(this.root);
    const page = searchPage(this.root, guides, words, words === '' ? [] : guides.search.find(words));
    await send(toFile(page), request, response);
  }

  /** Serves an image. @throws RouteNotFound */
  @Get('images/:name')
  @Public()
  async image(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const bytes = await this.guides.image(name);
    if (!bytes) throw new RouteNotFound(`There is no image ${name.slice(0, 100)} in the guides.`);
    const file = servedFile(name.endsWith('.svg') ? 'image/svg+xml' : 'image/png', bytes, A_DAY);
    await sendFile(file, request, response);
  }

  @Get(':name')
  @Public()
  guide(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.show(name, request, response);
  }

  @Get(':folder/:name')
  @Public()
  guideInFolder(
    @Param('folder') folder: string,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.show(`${folder}/${name}`, request, response);
  }

  /** Serves a guide. @throws RouteNotFound */
  private async show(path: string, request: Request, response: Response): Promise<void> {
    const guides = await this.guides.get(this.root);
    const guide = guides.byPath.get(path);
    if (!guide) throw new RouteNotFound(`There is no guide ${path.slice(0, 100)}; GET /guides lists them.`);
    const known = this.pages.get(path) ?? toFile(guidePage(this.root, guides, guide));
    this.pages.set(path, known);
    await send(known, request, response);
  }
}

interface PageFile {
  readonly page: WebPage;
  readonly file: ServedFile;
}

function toFile(page: WebPage): PageFile {
  return { page, file: servedFile('text/html; charset=utf-8', page.html) };
}

/** Sends a page that is the same for every reader. */
function send({ page, file }: PageFile, request: Request, response: Response): Promise<void> {
  const policy = page.contentSecurityPolicy.replace("form-action 'none'", "form-action 'self'");
  response.set({ 'Content-Security-Policy': policy, 'Content-Language': 'en' });
  return sendFile(file, request, response);
}
