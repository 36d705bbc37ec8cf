import { Injectable } from '@nestjs/common';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequestParams,
  type CompleteResult,
} from '@modelcontextprotocol/server';
import { ApiCallsService } from './api-calls.service.js';
import { McpToolsService } from './mcp-tools.service.js';
import { promptNamed } from './prompts.js';
import { rejection } from './protocol-error.js';
import { kind } from './template-resources.service.js';
import type { ToolCaller } from './tool-runner.service.js';

/** The maximum number of suggestions that the protocol allows. */
const MOST = 100;
/**
 * The statuses for a missing scope, a missing template, and a text that is not an id. They make the completion empty.
 */
const nothingThere = [400, 403, 404];

interface Page {
  readonly data: { readonly id?: string; readonly pass?: { readonly id: string } }[];
  readonly nextCursor: string | null;
}

/** Suggests ids of resources that the caller may list, for the form of a prompt or a resource address. */
@Injectable()
export class CompletionsService {
  constructor(
    private readonly api: ApiCallsService,
    private readonly tools: McpToolsService,
  ) {}

  /**
   * Completes template ids by a part of the id or title, and pass ids among the newest 100 passes of the template.
   * @throws ProtocolError for an unknown prompt or address
   */
  async complete({ ref, argument, context }: CompleteRequestParams, caller: ToolCaller): Promise<CompleteResult> {
    if (ref.type === 'ref/prompt') promptNamed(ref.name);
    else if (ref.uri !== kind.uriTemplate) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There are no resources at ${ref.uri}.`);
    }
    const { name, value } = argument;
    if (name === 'templateId') {
      const page = await this.page('listTemplates', '/v1/templates', value === '' ? {} : { q: value }, caller);
      return suggested(page, value, () => true);
    }
    const templateId = context?.arguments?.templateId ?? '';
    if (name !== 'passId' || templateId === '') return suggested(null, value, () => false);
    const page = await this.page('listPasses', `/v1/pass/${encodeURIComponent(templateId)}`, {}, caller);
    return suggested(page, value, (id) => id.includes(value));
  }

  /** Returns a page of the list; null if the caller may not list. */
  private async page(
    tool: string,
    path: string,
    filter: Readonly<Record<string, string>>,
    caller: ToolCaller,
  ): Promise<Page | null> {
    if (!this.tools.find(tool, caller.principal)) return null;
    const query = new URLSearchParams({ limit: String(MOST), ...filter });
    const response = await this.api.request('GET', `${path}?${query.toString()}`, caller);
    if (nothingThere.includes(response.status)) return null;
    if (response.status !== 200) throw rejection(response);
    return response.json as unknown as Page;
  }
}

/** Returns the matching values, first those that begin with the typed text. */
function suggested(page: Page | null, typed: string, fits: (id: string) => boolean): CompleteResult {
  const ids = (page?.data ?? []).map(({ id, pass }) => id ?? pass?.id ?? '').filter(fits);
  const values = [...ids.filter((id) => id.startsWith(typed)), ...ids.filter((id) => !id.startsWith(typed))];
  return { completion: { values, hasMore: page !== null && page.nextCursor !== null } };
}
