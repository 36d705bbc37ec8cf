import { Injectable } from '@nestjs/common';
import type { Principal } from '@passwright/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { toolsOf, type Tool } from './tools.js';

/** The tools, made from the API's own document once it is there. */
@Injectable()
export class McpTools {
  private all: readonly Tool[] = [];

  /** To be called with the document that is served, before any request. */
  learn(document: OpenAPIObject): void {
    this.all = toolsOf(document);
  }

  /** Those that the caller may use: an API key may have a list of its own. */
  allowed({ tools }: Principal): readonly Tool[] {
    return tools ? this.all.filter(({ name }) => tools.includes(name)) : this.all;
  }
}
