import { Agent } from './mcp-agent.js';
import type { Json } from './json.js';
import { bodySchema, filled, type Operation } from './operations.js';
import { type Account, type ApiResponse, passBody, type RunningService } from './running-service.js';
import { exampleOf } from './schema-shape.js';

/** The ids of one resource of each kind. */
export type Things = Readonly<
  Record<
    | 'templateId'
    | 'passId'
    | 'keyId'
    | 'uid'
    | 'memberId'
    | 'code'
    | 'sessionId'
    | 'webhookId'
    | 'messageId'
    | 'planId',
    string
  >
>;

export const missingThings: Things = {
  templateId: 'generic-that-is-missing',
  passId: 'missing',
  keyId: '0123456789012345678901',
  uid: 'usr_0123456789012345678901',
  memberId: '77',
  code: 'missing',
  sessionId: 'ses_0123456789012345678901',
  webhookId: 'whk_0123456789012345678901',
  messageId: 'msg_0123456789012345678901',
  planId: '0123456789012345678901',
};

/**
 * Creates a resource of each kind in an account, with a new API key.
 * @param look properties to add to the template, such as other image addresses
 */
export async function thingsOf(owner: Account, look: object = {}): Promise<Things> {
  const templateId = 'generic-of-another';
  expect(await owner.saveTemplate('generic', templateId, look)).toMatchObject({ status: 200 });
  expect(await owner.post(`/v1/pass/${templateId}/ada`, passBody('generic'))).toMatchObject({ status: 200 });
  const token = await owner.apiKey('members:read', 'members:write');
  const settings = { templateId, reminders: [] };
  await owner.service.request('PUT', '/v1/memberships/settings', { token, body: settings });
  const member = { email: 'ada@example.com', name: 'Ada' };
  const made = await owner.service.request('POST', '/v1/memberships/members', { token, body: member });
  const { body: invite } = await owner.post('/v1/account/invite', { email: 'grace@example.com' });
  const { body: key } = await owner.post('/v1/auth/keys', { name: 'Shop' });
  const { body: known } = await owner.get('/v1/account');
  const { body: webhook } = await owner.post('/v1/webhooks', { name: 'CRM' });
  const { body: message } = await owner.post(`/v1/pass/${templateId}/ada/messages`, { text: 'Hello' });
  const planId = await plannedCall(owner, { templateId, passId: 'ada' });
  const { body: sessions } = await owner.get('/v1/auth/sessions');
  return {
    templateId,
    passId: 'ada',
    keyId: key.id,
    uid: known.members[0].uid,
    memberId: String(made.body.id),
    code: invite.code,
    sessionId: sessions.data[0].id,
    webhookId: webhook.id,
    messageId: message.id,
    planId,
  };
}

/** Makes an agent plan to void a pass. @returns the id of the plan */
export async function plannedCall(owner: Account, values: { templateId: string; passId: string }): Promise<string> {
  const { body: key } = await owner.post('/v1/auth/keys', { name: 'Agent', supervised: true });
  const agent = await Agent.connect(owner.service, key.key as string);
  await agent.result('voidPass', values);
  return (await owner.get('/v1/account/plans')).body.data[0].id as string;
}

interface Attempt {
  readonly operation: Operation;
  readonly token: string;
  readonly things: Things;
}

/** Calls an operation with a valid body, so that it looks for the resource. */
export function attempt(
  service: RunningService,
  document: Json,
  { operation, token, things }: Attempt,
): Promise<ApiResponse> {
  const { method, path, source } = operation;
  const schema = bodySchema(operation);
  const [example] = Object.values<Json>(source.requestBody?.content?.['application/json']?.examples ?? {});
  const body = schema ? (example?.value ?? exampleOf(document, schema)) : undefined;
  return service.request(method, filled(path, things), { token, body });
}
