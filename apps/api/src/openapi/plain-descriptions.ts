import type { OpenAPIObject } from '@nestjs/swagger';

interface DescribedOperation {
  readonly operationId?: string;
  readonly summary?: string;
  description?: string | undefined;
  readonly parameters?: { readonly name?: string; description?: string }[];
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

interface DescribedResponse {
  description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
}

/** Descriptions of properties and parameters without their own, by name, or by schema and name. */
const properties: Readonly<Record<string, string>> = {
  accountId: 'The id of the account.',
  templateId: 'The id of the template.',
  passId: 'The id of the pass.',
  keyId: 'The id of the API key.',
  webhookId: 'The id of the webhook.',
  eventId: 'The id of the event.',
  sessionId: 'The id of the session.',
  uid: 'The id of the user.',
  file: 'The name of the file.',
  email: 'The e-mail address.',
  title: 'The heading of the message.',
  code: 'The content of the barcode.',
  validFrom: 'The time from which the pass is valid.',
  primaryValue: 'The value of the template’s `primaryLabel`.',
  fields: 'The fields on the front.',
  'MessageFilterResponse.fields': 'The values that fields of the passes must have.',
  backFields: 'The fields on the back.',
  locations: 'The places near which phones suggest the pass.',
  translations: 'The texts in other languages.',
  actions: 'The links that the pass offers.',
  metadata: 'Internal data, which a pass never shows.',
  subject: 'The subject.',
  to: 'The recipient.',
  svgUrl: 'The address of the image as SVG.',
  pngUrl: 'The address of the image as PNG.',
  accountName: 'The name of the account.',
  passTypeIdentifier: 'The pass type.',
  teamIdentifier: 'The id of the team at Apple.',
  organizationName: 'The name of the organisation.',
  issuerId: 'The id of the issuer at Google.',
  clientEmail: 'The address of the service account.',
  planId: 'The id of the plan.',
  currentPeriodStart: 'The start of the billing period.',
  currentPeriodEnd: 'The end of the billing period.',
  quietHours: 'The hours in which messages wait.',
  members: 'The number of members.',
  passes: 'The number of passes.',
  replayed: 'The number of events.',
  'PaymentEventReceived.received': 'Always true.',
  action: 'The kind of action, such as `pass.voided`.',
  tokenType: 'The scheme of the `Authorization` header.',
  devices: 'The devices that have the pass.',
  verdict: 'The judgement in one word.',
  noticeLabel: 'The label of the notice on the pass.',
  urgent: 'True if the message is also sent in quiet hours.',
  states: 'The states of the passes.',
  wallets: 'Only passes in one of these wallets.',
  expiresFrom: 'Only passes that expire at or after this time.',
  expiresBefore: 'Only passes that expire before this time.',
  text: 'The text of the message.',
  'PreviewCut.text': 'The whole text.',
  topic: 'A message replaces earlier ones with the same topic.',
  'Health.status': 'Always `ok`.',
  'SubscriptionResponse.status': 'The state of the subscription.',
  'MemberResponse.status': 'The state of the membership.',
  'WebhookDeliveryResponse.status': '`pending`: a further attempt follows.',
  'PushResponse.state': '`off`: not set up. `halted`: see `reason`.',
  'AuditActorResponse.kind': '`system`: the service itself.',
  'AuditTargetResponse.kind': 'The kind of target, such as `pass`.',
  createdAt: 'The time of the creation.',
  updatedAt: 'The time of the last change.',
  sentAt: 'The time of sending.',
  startedAt: 'The time at which sending began.',
  requestedAt: 'The time of the request.',
  lastAttemptAt: 'The time of the last attempt.',
  expiresAt: 'The time of expiry.',
  expiry: 'The time of expiry.',
  since: 'The time at which this state began.',
  at: 'The time of the action.',
  scopes: 'The scopes of the key.',
  enabled: 'True if the webhook gets events.',
  'MessageSettingsResponse.timeZone': 'The time zone of the quiet hours.',
  'MembershipSettingsResponse.timeZone': 'The time zone of reminders and expiries.',
  findings: 'The findings of the template lint.',
  pictures: 'The images.',
};

/** The nouns of schemas, for the descriptions of their `id` and `name`. */
const nouns: Readonly<Record<string, string>> = {
  AccountResponse: 'account',
  AccountUserResponse: 'user',
  AgentPlanDetails: 'plan',
  AgentPlanResponse: 'plan',
  ApiKeyResponse: 'API key',
  ApiKeyWithSecretResponse: 'API key',
  AuditEventResponse: 'event',
  ListedPass: 'pass',
  MemberResponse: 'member',
  MessageResponse: 'message',
  OwnAccountResponse: 'account',
  PassMailResponse: 'mail',
  PassMessageResponse: 'message',
  PassResponse: 'pass',
  ProfileResponse: 'user',
  SessionResponse: 'session',
  WebhookResponse: 'webhook',
  WebhookWithSecretResponse: 'webhook',
};

/** Descriptions of operations whose summary already says almost everything. */
const operations: Readonly<Record<string, string>> = {
  getLiveness: 'Reads nothing, so it responds as long as the process serves requests.',
  getMembershipSettings: 'An account without membership settings gets 404.',
  getMessage: 'The progress counts the passes that got the message, and the skipped passes by reason.',
  getMessageSettings: 'Messages that are not urgent wait until the quiet hours are over.',
  getPass: 'Send the `ETag` as `If-Match` with a change.',
  showForgotPassword: 'A page with a form for the e-mail address.',
};

/** Descriptions of responses by their schema. */
const responses: Readonly<Record<string, string>> = {
  AccountDeletionResponse: 'The time at which the account will be deleted.',
  AccountResponse: 'The account.',
  AgentPlanDetails: 'The plan.',
  AgentPlanResponse: 'The confirmed plan.',
  AccountMemberResponse: 'The user of the account.',
  ApiKeyWithSecretResponse: 'The key. Only this response has its secret.',
  AppleCertificateRequestResponse: 'The certificate signing request.',
  AppleCertificateResponse: 'The certificate.',
  DeliveryResponse: 'The delivery to each device and to Google Wallet.',
  ErasedResponse: 'The numbers of erased items.',
  GoogleLinkResponse: 'The save link.',
  GoogleProgressResponse: 'The state at Google.',
  GoogleServiceAccountResponse: 'The service account.',
  GoogleServiceAccountSaved: 'The service account.',
  Health: 'The check has passed.',
  InvitationResponse: 'The invitation.',
  InviteResponse: 'The invitation with its code.',
  MessageResponse: 'The message and its progress.',
  PaymentEventReceived: 'The event was received.',
  ProfileResponse: 'The user.',
  TokensResponse: 'The tokens of the session.',
  WebhookEventsResponse: 'The next events.',
  WebhookReplayResponse: 'The number of events that are sent again.',
  WebhookResponse: 'The webhook.',
  WebhookTestResponse: 'The result of the test.',
  WebhookWithSecretResponse: 'The webhook. Only this response has its secret.',
};

/** Adds the obvious descriptions that routes and classes omit, so that no tool shows an empty description. */
export function describePlainParts(document: OpenAPIObject): void {
  for (const operation of Object.values(document.paths).flatMap(
    (path) => Object.values(path) as DescribedOperation[],
  )) {
    operation.description ||= operations[operation.operationId ?? ''];
    for (const parameter of operation.parameters ?? []) {
      const { name = '' } = parameter;
      parameter.description ||= properties[name] ?? `The id of the ${name.replace(/Id$/, '')}.`;
    }
    for (const response of Object.values(operation.responses)) {
      const reference = response.content?.['application/json']?.schema?.$ref ?? '';
      response.description ||= responses[reference.split('/').at(-1) ?? ''] ?? `${operation.summary ?? ''}: done.`;
    }
  }
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) describeProperties(name, schema);
}

function describeProperties(of: string, schema: object): void {
  const named = (schema as { properties?: Record<string, object> }).properties ?? {};
  for (const [name, property] of Object.entries(named)) {
    const ofNoun =
      nouns[of] !== undefined && (name === 'id' || name === 'name') ? `The ${name} of the ${nouns[of]}.` : undefined;
    const description = properties[`${of}.${name}`] ?? properties[name] ?? ofNoun;
    if (description !== undefined && !('description' in property) && !('$ref' in property))
      Object.assign(property, { description });
  }
}
