import { Injectable } from '@nestjs/common';
import type { Principal } from '@passwright/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { toolsOf, type Tool } from './tools.js';

/** The tools, made from the API's own document once it is there. */
@Injectable()
export class McpTools {
  private tools: readonly Tool[] | null = null;
  private document: (() => OpenAPIObject) | null = null;

  /** @param document the one that is served; made when the first agent comes */
  learn(document: () => OpenAPIObject): void {
    this.document = document;
  }

  get all(): readonly Tool[] {
    if (!this.document) throw new Error('No document was given to make tools from');
    return (this.tools ??= toolsOf(this.document()));
  }

  /** Those that the caller may use: an API key may have a list of its own. */
  allowed({ tools }: Principal): readonly Tool[] {
    return tools ? this.all.filter(({ name }) => tools.includes(name)) : this.all;
  }
}
