import { Injectable } from '@nestjs/common';
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { AgentTools } from '@passwright/accounts';
import type { Principal } from '@passwright/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { asPlanned } from './planned-schemas.js';
import { isPlanned, toolsOf, type Tool } from './tools.js';

interface Entry {
  readonly tool: Tool;
  /** The tool as agents see it, with the schema of its result. */
  readonly listed: ListedTool;
}

export interface ToolListOptions {
  /** If true, lists the schemas of results too, which are more than half of the text. */
  readonly outputSchemas: boolean;
}

/** Builds the tools from the API's own OpenAPI document when the first agent connects. */
@Injectable()
export class McpToolsService {
  private made: ReadonlyMap<string, Entry> | null = null;
  private document: (() => OpenAPIObject) | null = null;

  constructor(private readonly agentTools: AgentTools) {}

  /** Sets the document to build the tools from. @param document returns the served document */
  learn(document: () => OpenAPIObject): void {
    this.document = document;
    this.agentTools.learn(() => [...this.entries.keys()]);
  }

  /** Lists the tools that the caller may use. An API key may have its own list. */
  listed({ tools }: Principal, { outputSchemas }: ToolListOptions): ListedTool[] {
    const listed = [...this.entries.values()].map((entry) => entry.listed);
    const permitted = tools ? listed.filter(({ name }) => tools.includes(name)) : listed;
    return outputSchemas ? permitted : permitted.map(({ outputSchema: _, ...tool }) => tool);
  }

  /** Returns all tools, even those that a caller may not use. */
  all(): Tool[] {
    return [...this.entries.values()].map(({ tool }) => tool);
  }

  /**
   * Finds a tool.
   * @returns null if the tool does not exist or the caller may not use it
   */
  find(name: string, { tools }: Principal): Tool | null {
    return (tools?.includes(name) ?? true) ? (this.entries.get(name)?.tool ?? null) : null;
  }

  private get entries(): ReadonlyMap<string, Entry> {
    if (!this.document) throw new Error('No document was given to make tools from');
    return (this.made ??= new Map(toolsOf(this.document()).map((tool) => [tool.name, { tool, listed: listed(tool) }])));
  }
}

function listed(tool: Tool): ListedTool {
  const { name, title, hints } = tool;
  const { description, input, output } = isPlanned(tool) ? asPlanned(tool) : tool;
  return {
    name,
    title,
    description,
    inputSchema: input as ListedTool['inputSchema'],
    ...(output && { outputSchema: output }),
    annotations: { title, ...hints },
  };
}
