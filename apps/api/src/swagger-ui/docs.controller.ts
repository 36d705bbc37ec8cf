import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Controller, Get, Injectable, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public, RouteNotFound, WireConventions } from '@passwright/core';
import type { Request, Response } from 'express';
import { sendFile, servedFile, type ServedFile } from '../served-file.js';
import { docsPage } from './docs-page.js';
import { swaggerStyle } from './style.js';
import { swaggerStart } from './swagger-start.js';

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';
const page = 'text/html; charset=utf-8';

/** Provides the files that a browser needs for Swagger UI, including our own. They are created for the first reader. */
@Injectable()
export class DocsFiles {
  private readonly made = new Map<string, ServedFile>();
  private readonly makers = new Map<string, () => ServedFile>([
    ['swagger-ui.css', () => distributed('swagger-ui.css', style)],
    ['swagger-ui-bundle.js', () => distributed('swagger-ui-bundle.js', script)],
    ['swagger-ui-init.js', () => servedFile(script, swaggerStart())],
    ['passwright.css', () => servedFile(style, swaggerStyle)],
    ['index.html', () => servedFile(page, docsPage('./'))],
  ]);

  find(name: string): ServedFile | null {
    const file = this.made.get(name) ?? this.makers.get(name)?.();
    if (file) this.made.set(name, file);
    return file ?? null;
  }
}

/** Serves Swagger UI with the document beside it. */
@ApiExcludeController()
@WireConventions()
@Controller('docs')
export class DocsController {
  constructor(private readonly files: DocsFiles) {}

  @Get()
  @Public()
  page(@Req() request: Request, @Res() response: Response): Promise<void> {
    // Relative paths keep working behind a proxy that adds a prefix to the path.
    return sendFile(servedFile(page, docsPage(request.path.endsWith('/') ? './' : './docs/')), request, response);
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
