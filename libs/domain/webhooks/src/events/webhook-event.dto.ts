import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf, PageQuery } from '@passwright/core';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import type { WebhookEvent } from './webhook-event.entity.js';

/** The longest time that a request may wait for an event. */
const MAX_WAIT_SECONDS = 30;

/** The query for a webhook's events. */
export class WebhookEventsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: 'How many seconds to wait for an event if there is none.',
  })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? +value : value))
  @IsInt({ message: `wait must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}` })
  @Min(0)
  @Max(MAX_WAIT_SECONDS)
  wait: number = 0;

  @OneOf({
    values: ['oldest', 'now'],
    optional: true,
    description:
      'Where to start without a `cursor`: at the `oldest` stored event, or with events from `now` on. Default: ' +
      'oldest.',
  })
  from?: string;
}

/** An event. It looks the same in deliveries and in lists. */
export class WebhookEventResponse {
  @ApiProperty({
    description:
      'The id of the event, the same in every delivery and response. Use it to skip events that ' +
      'you have already processed.',
    example: 'evt_019a8f3c2b7e4d1a9c3e5f708192',
  })
  id!: string;

  @ApiProperty({
    description: 'One of the types that docs/webhooks.md lists. More types may be added.',
    example: 'pass.voided',
  })
  type!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'The time of the event.' })
  timestamp!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The resource and its state after the event, without personal data. docs/webhooks.md ' +
      'lists the properties of each type.',
    example: { templateId: 'summer', passId: 'ada', voided: true, updatedAt: '2026-11-20T10:00:00.000Z' },
  })
  data!: Record<string, unknown>;
}

/** A page of events, and the cursor for the next page. The list has no end. */
export class WebhookEventsResponse {
  @ApiProperty({
    type: () => WebhookEventResponse,
    isArray: true,
    maxItems: 100,
    description: 'The events, oldest first.',
  })
  data!: WebhookEventResponse[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The cursor for the next page if there are more events now; otherwise null.',
  })
  nextCursor!: string | null;

  @ApiProperty({
    description:
      'The cursor to continue from, now or later; always present. Store it after you have processed the events.',
  })
  cursor!: string;
}

/** The public properties of an event. */
export type ReportedEvent = Omit<WebhookEvent, 'accountId'>;

/** Builds the response for an event, which is also the body of a delivery. */
export function toWebhookEventResponse({ id, type, occurredAt, data }: ReportedEvent) {
  return { id, type, timestamp: occurredAt.toISOString(), data } satisfies WebhookEventResponse;
}
