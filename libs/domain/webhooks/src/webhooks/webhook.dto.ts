import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Flag, type IfMatch, Name, NumberIn, requireSettingsMatch, settingsTag, Tagged, Text } from '@passwright/core';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsOptional } from 'class-validator';
import { webhookEventTypes } from '../event-types/event-types.js';
import type { Webhook } from './webhook.entity.js';

const typesExample = ['pass.created', 'pass.installed'];
const name = {
  description: 'The name of the webhook, on one line.',
  example: 'CRM',
  max: 200,
  optional: true,
  nullable: true,
};
const url = {
  description:
    'The address that receives events: https, a public host, no user name. The service ' +
    'follows no redirects. Without an address, you can only fetch the events.',
  example: 'https://crm.example.com/passes',
  max: 2000,
  optional: true,
  nullable: true,
};

function EventTypes(description: string): PropertyDecorator {
  const message = `$property must hold only these: ${webhookEventTypes.join(', ')}`;
  return applyDecorators(
    ApiProperty({
      enum: [...webhookEventTypes],
      enumName: 'WebhookEventType',
      isArray: true,
      required: false,
      nullable: true,
      minItems: 1,
      maxItems: webhookEventTypes.length,
      uniqueItems: true,
      description,
      example: typesExample,
    }),
    IsOptional(),
    IsArray(),
    ArrayMinSize(1, { message: '$property must name at least one type; leave it out for all' }),
    ArrayMaxSize(webhookEventTypes.length),
    ArrayUnique({ message: '$property must name each type once' }),
    IsIn(webhookEventTypes, { each: true, message }),
  );
}

/** Request body that creates a webhook. */
export class NewWebhookRequest {
  @Name(name)
  name?: string | null;

  @Text(url)
  url?: string | null;

  @EventTypes(
    'The types of events that the webhook gets. Default: all, including future types. For a key without all read scopes: the types that it may read.',
  )
  types?: string[] | null;
}

/** A JSON merge patch (RFC 7396) of a webhook: null clears a property, and omitted properties do not change. */
export class WebhookPatch {
  @Name(name)
  name?: string | null;

  @Text(url)
  url?: string | null;

  @EventTypes('The types of events that the webhook gets from now on; null: all.')
  types?: string[] | null;

  @Flag({
    description:
      'False: the webhook gets no new events, and nothing is sent. True: it gets new events ' +
      'again, and pending deliveries continue.',
    example: true,
    optional: true,
  })
  enabled?: boolean | null;
}

/** Request body that rotates a secret. */
export class WebhookRotationRequest {
  @NumberIn({
    description: 'How many hours the old secret stays valid. Default 24; 0 ends it immediately.',
    min: 0,
    max: 168,
    example: 24,
    optional: true,
  })
  overlapHours?: number | null;
}

/** A webhook without its secret. */
export class WebhookResponse {
  @ApiProperty({ example: 'whk_3kTq9ZbXcVn1MlPoIu7Yt2' })
  id!: string;

  @ApiProperty({ type: String, nullable: true, example: name.example })
  name!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: url.example,
    description: 'The address that receives events. Null if you only fetch the events.',
  })
  url!: string | null;

  @ApiProperty({
    enum: [...webhookEventTypes],
    enumName: 'WebhookEventType',
    isArray: true,
    maxItems: webhookEventTypes.length,
    nullable: true,
    example: typesExample,
    description: 'The types of events. Null: all types.',
  })
  types!: string[] | null;

  @ApiProperty()
  enabled!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the service disabled the webhook; null if it did not.',
  })
  disabledBecause!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The first failure since the last successful delivery; null if the last delivery succeeded.',
  })
  failingSince!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why an enabled webhook cannot send: its secret cannot be decrypted. Null: no problem.',
  })
  problem!: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'The number of pending deliveries; 1000 means at least 1000.',
    example: 0,
  })
  pending!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the old secret becomes invalid. Null: there is no old secret.',
  })
  previousSecretUntil!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The last change of name, url, types, enabled or secret.',
  })
  updatedAt!: string;
}

/** A webhook with its secret. Only the creation and a rotation return the secret. */
export class WebhookWithSecretResponse extends WebhookResponse {
  @ApiProperty({
    description: 'The secret that signs deliveries. Shown only in this response.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD6gA5Xn8Nq0Q=',
  })
  secret!: string;
}

/** The result of a test delivery. */
export class WebhookTestResponse {
  @ApiProperty({ description: 'True if the receiver responded with a status from 200 to 299.' })
  delivered!: boolean;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: "The status of the receiver's response; null if there was none.",
    example: 204,
  })
  statusCode!: number | null;

  @ApiProperty({ type: 'integer', description: 'How long the request took, in milliseconds.', example: 87 })
  durationMs!: number;

  @ApiProperty({ type: String, nullable: true, description: 'Why the delivery failed.' })
  problem!: string | null;
}

/** State of a webhook that is not in its row. */
export interface WebhookState {
  readonly pending: number;
  readonly problem: string | null;
}

/** Builds the response for a webhook, without its secrets. */
export function toWebhookResponse(webhook: Webhook, { pending, problem }: WebhookState, now: Date): WebhookResponse {
  const { id, name, url, types, disabledAt, disabledBecause, failingSince, previousSecretUntil: until } = webhook;
  return {
    id,
    name,
    url,
    types,
    enabled: disabledAt === null,
    disabledBecause,
    failingSince: failingSince?.toISOString() ?? null,
    problem,
    pending,
    previousSecretUntil: until && until > now ? until.toISOString() : null,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

type Settings = Pick<WebhookResponse, 'name' | 'url' | 'types' | 'enabled'> & { readonly updatedAt: Date | string };

/**
 * Adds two entity tags: one for the settings and one for the whole response. Requests that change a webhook need only
 * the tag of the settings.
 */
export function taggedWebhook(response: WebhookResponse): Tagged<WebhookResponse> {
  return new Tagged(response, settingsTag(settingsOf(response), response));
}

/**
 * Requires that the settings have not changed since the caller read them. Call it with the row locked.
 * @throws PreconditionFailed
 */
export function requireWebhookSettings(ifMatch: IfMatch, current: Settings): void {
  requireSettingsMatch(ifMatch, 'webhook', settingsOf(current));
}

/** Includes the time of the last change, because a rotation changes nothing else that the response shows. */
function settingsOf({ name, url, types, enabled, updatedAt }: Settings): unknown {
  return [name, url, types, enabled, updatedAt];
}
