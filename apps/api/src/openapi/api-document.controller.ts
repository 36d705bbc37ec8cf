import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public, WireConventions } from '@passwright/core';
import type { Request, Response } from 'express';
import { sendFile } from '../served-file.js';
import { ApiDocumentService } from './api-document.service.js';

@ApiExcludeController()
@WireConventions()
@Controller()
export class ApiDocumentController {
  constructor(private readonly document: ApiDocumentService) {}

  @Get('openapi.json')
  @Public()
  json(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendFile(this.document.get().json, request, response);
  }

  @Get('openapi.yaml')
  @Public()
  async yaml(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendFile(await this.document.get().yaml(), request, response);
  }

  @Get('postman.json')
  @Public()
  postman(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendFile(this.document.get().postman, request, response);
  }
}
