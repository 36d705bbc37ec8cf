import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { ApiCalls } from './api-calls.js';
import { Completions } from './completions.js';
import { McpServers } from './mcp-server.js';
import { McpTools } from './mcp-tools.js';
import { McpController } from './mcp.controller.js';
import { McpOptions } from './mcp.options.js';
import { Plans } from './plans.js';
import { ProtectedResourceController } from './protected-resource.controller.js';
import { TemplateResources } from './template-resources.js';
import { ToolRunner } from './tool-runner.js';

/** The API as tools for agents, at `/mcp`. */
@Module({
  providers: [ApiCalls, Completions, McpServers, McpTools, Plans, TemplateResources, ToolRunner],
  exports: [McpTools],
})
export class McpModule extends rootModule(McpOptions, [McpController, ProtectedResourceController]) {}
