import { Controller, HttpCode, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server';
import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import {
  Caller,
  Forbidden,
  type Principal,
  requestOrigin,
  RequireCaller,
  SecretResponse,
  ValidationFailed,
} from '@passwright/core';
import { requestId } from '@passwright/http';
import type { Request, Response } from 'express';
import { McpServerService } from './mcp-server.service.js';
import { McpOptions } from './mcp.options.js';
import { ProtectedResourceFilter } from './protected-resource.filter.js';
import { wrongParams } from './request-params.js';
import type { ToolCaller } from './tool-runner.service.js';

const local = ['localhost', '127.0.0.1', '[::1]'];

/** Serves MCP as Streamable HTTP without sessions, for clients of the 2025 versions and of 2026-07-28. */
@ApiExcludeController()
@UseFilters(ProtectedResourceFilter)
@Controller('mcp')
export class McpController {
  private readonly hosts: readonly string[];
  private readonly handler: NodeMcpRequestHandler;

  constructor(servers: McpServerService, options: McpOptions) {
    this.hosts = [new URL(options.baseUrl).hostname, ...local];
    this.handler = toNodeHandler(
      createMcpHandler(({ authInfo }) => servers.make(authInfo?.extra?.caller as ToolCaller)),
    );
  }

  /** Serves a request. Ignores the header `Idempotency-Key`, because each tool call has its own key. */
  @Post()
  @HttpCode(200)
  @RequireCaller({ supervised: true })
  @SecretResponse()
  async serve(
    @Caller() principal: Principal,
    @Query('outputSchemas') outputSchemas: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.rejectOtherSites(request);
    if (Array.isArray(request.body)) throw new ValidationFailed('The body must be one JSON-RPC message, not a batch');
    const rejection = wrongParams(request.body);
    if (rejection) return void response.json(rejection);
    const caller: ToolCaller = {
      principal,
      authorization: request.headers.authorization ?? '',
      ip: request.ip,
      requestId: requestId(request, response),
      outputSchemas: outputSchemas === 'true',
      person: null,
    };
    const auth: AuthInfo = { token: '', clientId: principal.id, scopes: [...principal.scopes], extra: { caller } };
    // Release the slot of this request, because each tool call takes its own.
    requestOrigin()?.slot?.leave();
    await this.handler(Object.assign(request, { auth }), response, request.body);
  }

  /**
   * Rejects requests from pages of other sites, and requests under another host name.
   * @throws Forbidden
   */
  private rejectOtherSites({ headers }: Request): void {
    const host = hostOf(`http://${headers.host ?? ''}`);
    const origin = headers.origin === undefined ? null : hostOf(headers.origin);
    if (!this.hosts.includes(host)) {
      throw new Forbidden(`The Host header names ${host || 'nothing'}, which is not the host of BASE_URL.`);
    }
    if (origin !== null && !this.hosts.includes(origin)) throw new Forbidden('Pages of other sites may not call this.');
  }
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
