import { Injectable, Logger } from '@nestjs/common';
import type { CallToolResult, ContentBlock, InputRequiredResult } from '@modelcontextprotocol/server';
import {
  AppError,
  errorBody,
  Forbidden,
  loggedError,
  ValidationFailed,
  withSlot,
  type Principal,
} from '@passwright/core';
import { unexpected } from '@passwright/http';
import { ApiCallsService, type ApiResponseBody, type ApiCaller } from './api-calls.service.js';
import { type AgentsPlan, ConfirmationsService } from './confirmations.service.js';
import { McpToolsService, type ToolListOptions } from './mcp-tools.service.js';
import { type AskablePerson, askToConfirm, inWords } from './elicitation.js';
import { changesOfPatch, changesOfReplacement, endsPass, mayEndPass, type PlannedChange } from './plan-changes.js';
import { type PlanReach, PlanReachService, reachInNumbers, reachInWords } from './plan-reach.service.js';
import { type Planned, PlanTokensService, type PlanProblem } from './plan-tokens.service.js';
import { problemOf } from './protocol-error.js';
import { shortened } from './short-results.js';
import { argumentProblems, errorResult, messageForAgent } from './tool-errors.js';
import { isPlanned, type Tool } from './tools.js';

export interface ToolCaller extends ApiCaller, ToolListOptions {
  readonly principal: Principal;
  /** The person whom the client can ask; null if the client cannot ask anyone. */
  readonly person: AskablePerson | null;
}

type ToolResult = CallToolResult | InputRequiredResult;

type Input = Readonly<Record<string, unknown>>;

/** The advice to an agent whose plan token is wrong. */
const problems: Record<PlanProblem, string> = {
  unknown: 'planToken does not belong to a plan for exactly this call: call again without it to get a plan.',
  expired: 'The plan has expired: call again without planToken to get a new one.',
  changed: 'The resource has changed since the plan was made: call again without planToken, and look at the new plan.',
};

/** An entity tag that no resource ever has. */
const NO_VERSION = '"plan"';

/** Runs tools by calling the API. */
@Injectable()
export class ToolRunnerService {
  private readonly logger = new Logger('Mcp');

  constructor(
    private readonly api: ApiCallsService,
    private readonly plans: PlanTokensService,
    private readonly reaches: PlanReachService,
    private readonly confirmations: ConfirmationsService,
    private readonly tools: McpToolsService,
  ) {}

  async run(tool: Tool, input: Input, caller: ToolCaller): Promise<ToolResult> {
    const violations = argumentProblems(tool, input);
    if (violations.length > 0) return errorResult(errorBody(new ValidationFailed(violations)));
    const { supervised = false } = caller.principal;
    const needsPlan = isPlanned(tool) && (supervised || tool.name !== 'updatePass' || mayEndPass(input.body));
    try {
      if (needsPlan) return await this.runPlanned(tool, input, caller);
      return await this.respond(tool, await this.api.call(tool, input, caller, acceptOf(tool)), caller, input);
    } catch (error) {
      return errorResult(errorBody(this.appErrorOf(error, caller)));
    }
  }

  /**
   * Returns a plan without changing anything. With the plan's token, executes the plan, unless something has changed
   * since. A person must confirm first if the client can ask one or the key is supervised.
   */
  private async runPlanned(tool: Tool, { planToken, ...input }: Input, caller: ToolCaller): Promise<ToolResult> {
    const read = await this.api.call({ ...tool, method: 'GET', path: readPath(tool), bodyType: null }, input, caller);
    const isNew = tool.name === 'upsertTemplate' && read.status === 404;
    if (read.status >= 300 && !isNew) return this.failure(tool, read);
    const etag = read.headers.etag ?? '';
    const { supervised = false } = caller.principal;
    const endsOrReplaces = tool.name === 'updatePass' ? endsPass(input.body, read.json) : !isNew;
    const needsPlan = endsOrReplaces || (supervised && !isNew);
    const planned = { principal: caller.principal, tool: tool.name, input, etag };
    const plan = () => this.planOf(tool, input, read.json ?? {}, caller);
    if (planToken === undefined && needsPlan) {
      const rejection = await this.rejectionOf(tool, input, caller);
      // Take a slot of the tenant again, because the API calls before have released theirs.
      return rejection ?? withSlot(async () => this.plan(planned, await plan()));
    }
    const problem = planToken === undefined ? null : this.plans.problemOf(textOf(planToken), planned);
    if (problem) return errorResult(errorBody(new ValidationFailed(problems[problem])));
    const question = needsPlan ? await withSlot(() => this.questionBefore(planned, plan, caller.person)) : null;
    if (question) return question;
    // If another request changes the resource after this read, the API rejects the write.
    const condition = isNew ? { 'if-none-match': '*' } : { 'if-match': etag };
    const response = await this.api.call(tool, input, caller, condition);
    if (supervised && response.status < 300) await this.confirmations.finish(planned);
    return this.respond(tool, response, caller, input);
  }

  /**
   * Returns the error of a call that the API would reject, so that no person confirms it in vain. Sends the call with
   * an entity tag that no resource has, so the API checks the body but changes nothing.
   */
  private async rejectionOf(tool: Tool, input: Input, caller: ToolCaller): Promise<CallToolResult | null> {
    if (tool.bodyType === null) return null;
    const response = await this.api.call(tool, input, caller, { 'if-match': NO_VERSION });
    return response.status === 412 ? null : this.failure(tool, response);
  }

  private async plan(planned: Planned, plan: AgentsPlan): Promise<CallToolResult> {
    if (!planned.principal.supervised) return planResult({ ...plan, ...this.plans.make(planned) });
    const expiresAt = await this.confirmations.ask(planned, plan);
    return planResult({ ...plan, ...this.plans.make(planned, expiresAt), confirmAt: this.confirmations.page });
  }

  /**
   * Returns the question that a person must accept before the plan is executed; null if there is none. A supervised key
   * needs the confirmation of a user instead.
   * @throws Forbidden if the person has declined, or if the user's confirmation is missing
   */
  private async questionBefore(
    planned: Planned,
    plan: () => Promise<AgentsPlan>,
    person: AskablePerson | null,
  ): Promise<InputRequiredResult | null> {
    if (planned.principal.supervised) await this.confirmations.requireConfirmed(planned, await plan());
    else if (person?.choice === null) return askToConfirm(inWords(planned, await plan()));
    else if (person && person.choice !== 'accept') throw new Forbidden('The person did not confirm the plan.');
    return null;
  }

  /**
   * Logs an unexpected error.
   * @returns an error without details, because the MCP library sends it to the client
   */
  private appErrorOf(error: unknown, { requestId }: ToolCaller): AppError {
    if (error instanceof AppError) return error;
    this.logger.error({ requestId, err: loggedError(error) });
    return unexpected(error);
  }

  /**
   * Describes the effect of a call.
   * @param now the current state of the resource
   */
  private async planOf(tool: Tool, input: Input, now: Input, caller: ToolCaller): Promise<AgentsPlan> {
    const reach = await this.reachOf(tool, input, caller);
    const changes = plannedChanges(tool, now, input);
    return {
      planned: true,
      does: [`${tool.title}.`, effectOf(tool, input, now), reach && reachInWords(reach)].filter(Boolean).join(' '),
      ...(reach && { reaches: reachInNumbers(reach) }),
      ...(changes && { changes }),
      // Omit the current state if the changes already show the differences.
      ...((!changes || caller.outputSchemas) && { now: caller.outputSchemas ? now : shortened(tool, now, input) }),
    };
  }

  private reachOf(tool: Tool, { templateId, passId }: Input, { principal }: ToolCaller): Promise<PlanReach | null> {
    const { accountId } = principal;
    return tool.name === 'upsertTemplate'
      ? this.reaches.ofTemplate(accountId, textOf(templateId))
      : this.reaches.ofPass(accountId, textOf(templateId), textOf(passId));
  }

  private failure(tool: Tool, response: ApiResponseBody): CallToolResult {
    const body = problemOf(response);
    if (!body) return errorResult(response.bytes.toString());
    const message = messageForAgent(textOf(body.message), body.code, tool, this.tools.all());
    return errorResult({ ...body, message });
  }

  private async respond(
    tool: Tool,
    response: ApiResponseBody,
    caller: ToolCaller,
    input: Input,
  ): Promise<CallToolResult> {
    if (response.status >= 300) return this.failure(tool, response);
    if (response.json === null) return { content: [pictureOrText(response)] };
    const picture = await this.preview(tool, response.json, caller, input);
    const result = caller.outputSchemas ? response.json : shortened(tool, response.json, input);
    return {
      content: [text(JSON.stringify(result)), ...(picture ? [pictureOrText(picture)] : [])],
      structuredContent: result,
    };
  }

  /** Adds a preview image to the result. */
  private async preview(
    tool: Tool,
    made: Record<string, unknown>,
    caller: ToolCaller,
    input: Input,
  ): Promise<ApiResponseBody | null> {
    const templateId = encodeURIComponent(textOf(input.templateId));
    const passId = textOf((made as { pass?: { id?: unknown } }).pass?.id);
    const paths: Record<string, string> = {
      upsertTemplate: `/v1/templates/${templateId}/preview`,
      createPass: `/v1/pass/${templateId}/${encodeURIComponent(passId)}/preview`,
      updatePass: `/v1/pass/${templateId}/${encodeURIComponent(textOf(input.passId))}/preview`,
    };
    const path = paths[tool.name];
    if (path === undefined) return null;
    const response = await this.api.request('GET', `${path}?format=png&scale=1`, caller, { accept: 'image/png' });
    return response.status === 200 ? response : null;
  }
}

function readPath({ path }: Tool): string {
  return path.replace(/\/void$/, '');
}

/** Returns the properties that a planned call changes; null if the call always has the same effect. */
function plannedChanges({ name }: Tool, now: Input, { body }: Input): Record<string, PlannedChange> | null {
  const values = typeof body === 'object' && body !== null ? (body as Input) : {};
  if (name === 'upsertTemplate') return changesOfReplacement(now, values);
  return name === 'updatePass' ? changesOfPatch((now.pass ?? {}) as Input, values) : null;
}

function planResult(plan: AgentsPlan & { confirmAt?: string }): CallToolResult {
  const { confirmAt } = plan;
  const person =
    confirmAt === undefined ? '' : ` Before that, the person you work for has to confirm it: ${confirmAt}.`;
  return {
    content: [
      text(`Nothing has been done yet. To do it, call again with the same arguments and this planToken.${person}`),
      text(JSON.stringify(plan)),
    ],
    structuredContent: { ...plan },
  };
}

function effectOf({ name }: Tool, { body }: Input, now: Input): string {
  if (name === 'voidPass' || (name === 'updatePass' && endsPass(body, now)))
    return 'The holder can no longer use it, now or sooner than today; their wallets are notified at once.';
  if (name === 'updatePass')
    return 'If it changes what the pass shows, the wallets of its holder are notified at once.';
  return 'The whole template is replaced, and every pass of it that is in a wallet is updated.';
}

/** Returns headers that request an image from a preview tool, unless the call chooses a format. */
function acceptOf({ name }: Tool): Record<string, string> {
  return name.startsWith('preview') ? { accept: 'image/png' } : {};
}

function text(words: string): { type: 'text'; text: string } {
  return { type: 'text', text: words };
}

/** Returns a bitmap as an image. Returns SVG or HTML as text, which models can read. */
function pictureOrText({ bytes, headers }: ApiResponseBody): ContentBlock {
  const [mimeType = ''] = (headers['content-type'] ?? '').split(';');
  return mimeType === 'image/png'
    ? { type: 'image', data: bytes.toString('base64'), mimeType }
    : text(bytes.toString());
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
