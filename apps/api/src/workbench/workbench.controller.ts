import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Controller, Get, Injectable, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SelfServiceOptions } from '@passwright/accounts';
import { Public, RouteNotFound, WireConventions } from '@passwright/core';
import type { Request, Response } from 'express';
import { sendFile, servedFile, type ServedFile } from '../served-file.js';
import { workbenchPage, workbenchPolicy } from './workbench-page.js';

/** The `Cache-Control` of files that never change, because their names contain a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

/** Reads the files of the built workbench at the first request, because a build may replace them. */
@Injectable()
export class WorkbenchFiles {
  private readonly folder = join(dirname(require.resolve('@passwright/workbench/package.json')), 'dist');
  private readonly read = new Map<string, ServedFile>();

  /** Returns the names of the script and the style sheet; null if the workbench is not built. */
  names(): { readonly script: string; readonly style: string } | null {
    const list = join(this.folder, 'files.json');
    return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { script: string; style: string }) : null;
  }

  /** Returns a file by its name; null if there is none. */
  find(name: string): ServedFile | null {
    const known = this.read.get(name);
    if (known) return known;
    const [, extension = ''] = /^[\w-]+\.(js|css|txt)$/.exec(name) ?? [];
    const path = join(this.folder, name);
    const type = types[extension];
    if (!type || !existsSync(path)) return null;
    const file = servedFile(type, readFileSync(path), extension === 'txt' ? undefined : FOR_EVER);
    this.read.set(name, file);
    return file;
  }
}

/** Serves the workbench: a page and its files. It calls the API like any other client. */
@ApiExcludeController()
@WireConventions()
@Controller('workbench')
export class WorkbenchController {
  constructor(
    private readonly files: WorkbenchFiles,
    private readonly options: SelfServiceOptions,
  ) {}

  /** Serves the page. @throws RouteNotFound */
  @Get()
  @Public()
  page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const names = this.files.names();
    if (!names) throw new RouteNotFound('The workbench is not built; run npm run build.');
    const { signsInByProvider = false } = this.options;
    // Use relative paths, which work behind a proxy that adds a prefix.
    const below = request.path.endsWith('/') ? './' : './workbench/';
    response.set({ 'Content-Security-Policy': workbenchPolicy, 'X-Robots-Tag': 'noindex' });
    const page = workbenchPage({ below, ...names, signsInByProvider });
    return sendFile(servedFile('text/html; charset=utf-8', page), request, response);
  }

  /** Serves one file. @throws RouteNotFound */
  @Get(':file')
  @Public()
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const file = this.files.find(name);
    if (!file) throw new RouteNotFound(`There is no file ${name.slice(0, 100)} under /workbench.`);
    return sendFile(file, request, response);
  }
}
