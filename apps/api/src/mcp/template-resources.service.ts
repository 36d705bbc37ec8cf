import { Injectable } from '@nestjs/common';
import {
  ResourceNotFoundError,
  type ListResourcesResult,
  type ReadResourceResult,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { ApiCallsService } from './api-calls.service.js';
import { McpToolsService } from './mcp-tools.service.js';
import { rejection } from './protocol-error.js';
import type { ToolCaller } from './tool-runner.service.js';

const scheme = 'passwright://templates/';
const mimeType = 'application/json';
/** The form of a template's address. */
export const kind = { uriTemplate: `${scheme}{templateId}`, name: 'template', title: 'Template', mimeType };
const address = new RegExp(`^${scheme}([A-Za-z0-9._~%-]{1,300})$`);

interface ListedTemplate {
  readonly id: string;
  readonly title: string;
  readonly issuerName: string;
  readonly type: string;
}

/** Serves the account's templates as resources, if the caller's scope and the key's list of tools allow it. */
@Injectable()
export class TemplateResourcesService {
  constructor(
    private readonly api: ApiCallsService,
    private readonly tools: McpToolsService,
  ) {}

  kinds({ principal }: ToolCaller): ResourceTemplateType[] {
    if (!this.tools.find('getTemplate', principal)) return [];
    return [{ ...kind, description: 'A template as it is stored.' }];
  }

  /** Lists up to 100 templates per page, with the cursor of the API. Empty for a caller who may not read templates. */
  async list(cursor: string | undefined, caller: ToolCaller): Promise<ListResourcesResult> {
    if (!this.tools.find('listTemplates', caller.principal)) return { resources: [] };
    const query = new URLSearchParams({ limit: '100', ...(cursor !== undefined && { cursor }) });
    const response = await this.api.request('GET', `/v1/templates?${query.toString()}`, caller);
    if (response.status === 403) return { resources: [] };
    if (response.status !== 200) throw rejection(response);
    const { data, nextCursor } = response.json as unknown as { data: ListedTemplate[]; nextCursor: string | null };
    return { resources: data.map(toResource), ...(nextCursor !== null && { nextCursor }) };
  }

  /** Reads one template. @throws ResourceNotFoundError, ProtocolError */
  async read(uri: string, caller: ToolCaller): Promise<ReadResourceResult> {
    const [, id] = address.exec(uri) ?? [];
    if (id === undefined || !this.tools.find('getTemplate', caller.principal)) throw new ResourceNotFoundError(uri);
    const response = await this.api.request('GET', `/v1/templates/${id}`, caller);
    if (response.status === 404 || response.status === 400) throw new ResourceNotFoundError(uri);
    if (response.status !== 200) throw rejection(response);
    return { contents: [{ uri, mimeType, text: response.bytes.toString() }] };
  }
}

function toResource({ id, title, issuerName, type }: ListedTemplate) {
  const description = `A template of type ${type} by ${issuerName}`;
  return { uri: scheme + encodeURIComponent(id), name: id, title, description, mimeType };
}
