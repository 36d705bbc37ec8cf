import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Controller, Get, Injectable, Param, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public, RouteNotFound, WireConventions } from '@passwright/core';
import type { Request, Response } from 'express';
import { ApiDocumentService } from '../openapi/api-document.service.js';
import { sendFile, servedFile, type ServedFile } from '../served-file.js';
import { docsPage } from './docs-page.js';
import { operationList } from './operation-list.js';
import { swaggerStyle } from './style.js';
import { swaggerStart } from './swagger-start.js';

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';
const page = 'text/html; charset=utf-8';

/** Provides the files of Swagger UI and our own, created at the first request. */
@Injectable()
export class DocsFiles {
  private readonly made = new Map<string, ServedFile>();
  private readonly makers = new Map<string, () => ServedFile>([
    ['swagger-ui.css', () => distributed('swagger-ui.css', style)],
    ['swagger-ui-bundle.js', () => distributed('swagger-ui-bundle.js', script)],
    ['swagger-ui-init.js', () => servedFile(script, swaggerStart())],
    ['operations.js', () => servedFile(script, operationList)],
    ['passwright.css', () => servedFile(style, swaggerStyle)],
  ]);

  constructor(private readonly document: ApiDocumentService) {}

  find(name: string): ServedFile | null {
    const make = this.makers.get(name);
    return make ? this.kept(name, make) : null;
  }

  /** Returns the page. @param below the path of the files, relative to the page */
  page(below: string): ServedFile {
    return this.kept(below, () => servedFile(page, docsPage(below, this.document.get().document)));
  }

  private kept(name: string, make: () => ServedFile): ServedFile {
    const file = this.made.get(name) ?? make();
    this.made.set(name, file);
    return file;
  }
}

/** Serves Swagger UI for the OpenAPI document. */
@ApiExcludeController()
@WireConventions()
@Controller('docs')
export class DocsController {
  constructor(private readonly files: DocsFiles) {}

  @Get()
  @Public()
  page(@Req() request: Request, @Res() response: Response): Promise<void> {
    // Use relative paths, which work behind a proxy that adds a prefix.
    return sendFile(this.files.page(request.path.endsWith('/') ? './' : './docs/'), request, response);
  }

  /** Redirects old bookmarks to the page, with a relative address, which keeps the prefix of a proxy. */
  @Get('index.html')
  @Public()
  @Redirect('../docs', 301)
  index(): void {
    return;
  }

  /** Serves one file. @throws RouteNotFound */
  @Get(':file')
  @Public()
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const file = this.files.find(name);
    if (!file) throw new RouteNotFound(`There is no file ${name.slice(0, 100)} under /docs.`);
    return sendFile(file, request, response);
  }
}

function distributed(name: string, type: string): ServedFile {
  return servedFile(type, readFileSync(join(dirname(require.resolve('swagger-ui-dist/package.json')), name)));
}
