import {
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { AgentsPlan } from './confirmations.service.js';
import type { Planned } from './plan-tokens.service.js';

/** A person whom the server can ask through the client (elicitation). */
export interface AskablePerson {
  /** The response of the person; null if the client has not asked yet. */
  readonly choice: 'accept' | 'decline' | 'cancel' | null;
}

const QUESTION = 'confirm';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Returns the person whom the client of a call can ask; null if it cannot ask. A client of the 2025 protocol cannot,
 * because the answer may reach another node.
 */
export function askablePerson({ mcpReq }: ServerContext): AskablePerson | null {
  const { [CAPABILITIES]: capabilities } = (mcpReq.envelope ?? {}) as { [CAPABILITIES]?: ClientCapabilities };
  const { elicitation } = capabilities ?? {};
  if (!elicitation || (!('form' in elicitation) && 'url' in elicitation)) return null;
  const response = inputResponse(mcpReq.inputResponses, QUESTION);
  return { choice: response.kind === 'elicit' ? response.action : null };
}

/** Describes a plan to the person who decides about it. */
export function inWords({ tool, input }: Planned, { does, changes = {} }: AgentsPlan): string {
  const { templateId, passId } = input as { templateId?: string; passId?: string };
  const target = [templateId, passId].filter((id) => id !== undefined).join('/');
  const names = Object.keys(changes);
  return `${does} (${tool} of ${target}${names.length > 0 ? `: ${names.join(', ')}` : ''})`;
}

/** Asks the client for the person's decision. The client then repeats the call. */
export function askToConfirm(message: string): InputRequiredResult {
  const requestedSchema = { type: 'object', properties: {} } as const;
  return inputRequired({ inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema }) } });
}
