import type { OpenAPIObject } from '@nestjs/swagger';
import { getSchemaPath } from '@nestjs/swagger';
import { eventDataTypes, type EventType, eventTypes } from '@passwright/webhooks';

const headers: [name: string, description: string][] = [
  ['webhook-id', 'The id of the event. Process each id once.'],
  ['webhook-timestamp', 'The time of this attempt in seconds since 1970. Reject requests older than five minutes.'],
  ['webhook-signature', 'One or several signatures `v1,…`, separated by spaces. One of them must match.'],
];
const received = {
  description: 'Any 2xx within 15 seconds: the event was received. After any other response it is sent again.',
};

/** Adds the requests that the service sends to webhooks. Call it after `withSharedParts`. */
export function addWebhooks(document: OpenAPIObject): OpenAPIObject {
  const { components } = document;
  const parameters = headers.map(([name, description]) => [
    name,
    { name, in: 'header', required: true, description, schema: { type: 'string' } },
  ]);
  const webhooks = (Object.keys(eventTypes) as EventType[]).map((type) => [type, { post: operationOf(type) }]);
  return {
    ...document,
    webhooks: Object.fromEntries(webhooks) as object,
    components: {
      ...components,
      parameters: { ...components?.parameters, ...(Object.fromEntries(parameters) as object) },
      responses: { ...components?.responses, EventReceived: received },
    },
  } as OpenAPIObject;
}

function operationOf(type: EventType): object {
  const name = type.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase());
  return {
    operationId: `receive${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary: `Receive ${type}`,
    description: eventTypes[type],
    tags: ['webhooks'],
    security: [],
    parameters: headers.map(([header]) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(type) } } },
    responses: { '2XX': { $ref: '#/components/responses/EventReceived' } },
  };
}

function schemaOf(type: EventType): object {
  const own = { type: { type: 'string', enum: [type] }, data: { $ref: getSchemaPath(eventDataTypes[type]) } };
  return { allOf: [{ $ref: '#/components/schemas/WebhookEventResponse' }, { type: 'object', properties: own }] };
}
