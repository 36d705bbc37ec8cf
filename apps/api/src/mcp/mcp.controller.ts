import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Caller, Forbidden, type Principal, RequireCaller } from '@passwright/core';
import { requestId } from '@passwright/http';
import type { Request, Response } from 'express';
import { McpServers } from './mcp-server.js';
import { McpOptions } from './mcp.options.js';
import { McpTools } from './mcp-tools.js';
import type { ToolCaller } from './tool-runner.js';

const local = ['localhost', '127.0.0.1', '[::1]'];

/** The MCP server, Streamable HTTP without sessions, for clients of 2025 and of 2026-07-28. */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  private readonly hosts: readonly string[];

  constructor(
    private readonly servers: McpServers,
    private readonly tools: McpTools,
    options: McpOptions,
  ) {
    this.hosts = [new URL(options.baseUrl).hostname, ...local];
  }

  @All()
  @RequireCaller()
  async serve(@Caller() principal: Principal, @Req() request: Request, @Res() response: Response): Promise<void> {
    this.refuseOtherSites(request);
    const caller: ToolCaller = {
      principal,
      authorization: request.headers.authorization ?? '',
      ip: request.ip,
      requestId: requestId(request, response),
    };
    const handler: McpHttpHandler = createMcpHandler(() => this.servers.make(this.tools.allowed(principal), caller));
    await toNodeHandler(handler)(request, response, request.method === 'POST' ? request.body : undefined);
  }

  /** A page of another site in somebody's browser, or a name that was made to lead here. @throws Forbidden */
  private refuseOtherSites({ headers }: Request): void {
    const host = hostOf(`http://${headers.host ?? ''}`);
    const origin = headers.origin === undefined ? null : hostOf(headers.origin);
    if (!this.hosts.includes(host))
      throw new Forbidden(`The Host header names ${host}, which this service does not have.`);
    if (origin !== null && !this.hosts.includes(origin)) throw new Forbidden('Pages of other sites may not call this.');
  }
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
