import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { ApiCallsService } from './api-calls.service.js';
import { CompletionsService } from './completions.service.js';
import { ConfirmationsService } from './confirmations.service.js';
import { McpServerService } from './mcp-server.service.js';
import { McpToolsService } from './mcp-tools.service.js';
import { McpController } from './mcp.controller.js';
import { McpOptions } from './mcp.options.js';
import { PlanReachService } from './plan-reach.service.js';
import { PlanTokensService } from './plan-tokens.service.js';
import { ProtectedResourceController } from './protected-resource.controller.js';
import { TemplateResourcesService } from './template-resources.service.js';
import { ToolRunnerService } from './tool-runner.service.js';

/** Serves the API as tools for agents, at `/mcp`. */
@Module({
  providers: [
    ApiCallsService,
    CompletionsService,
    ConfirmationsService,
    McpServerService,
    McpToolsService,
    PlanReachService,
    PlanTokensService,
    TemplateResourcesService,
    ToolRunnerService,
  ],
  exports: [McpToolsService],
})
export class McpModule extends rootModule(McpOptions, [McpController, ProtectedResourceController]) {}
