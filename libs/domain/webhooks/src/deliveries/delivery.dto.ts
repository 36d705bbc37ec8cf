import { ApiProperty } from '@nestjs/swagger';
import { DateTime, OneOf, PageQuery } from '@passwright/core';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
const replayedStatuses = ['failed', 'delivered', 'missed'] as const;
export type ReplayedStatus = (typeof replayedStatuses)[number];

/** `?status=` of a list of deliveries. */
export class WebhookDeliveriesQuery extends PageQuery {
  @OneOf({ description: 'Only those that are so.', values: deliveryStatuses, example: 'failed', optional: true })
  status?: DeliveryStatus | null;
}

/** Body of a replay of many deliveries. */
export class WebhookReplayRequest {
  @DateTime({ description: 'Of events from then on.', example: '2026-11-20T10:00:00.000Z' })
  since!: string;

  @DateTime({
    description: 'Of events before then. Default: now.',
    example: '2026-11-21T10:00:00.000Z',
    optional: true,
  })
  until?: string | null;

  @OneOf({
    description:
      'Which: those given up (`failed`, the default), those that have arrived (`delivered`), or events of its types that ' +
      'it was never told of (`missed`), because it was disabled or not yet made.',
    values: replayedStatuses,
    example: 'failed',
    optional: true,
  })
  status?: ReplayedStatus | null;
}

/** How many deliveries a replay has put on their way. */
export class WebhookReplayResponse {
  @ApiProperty({ type: 'integer', example: 12 })
  replayed!: number;
}

/** One event on its way to one webhook. */
export class WebhookDeliveryResponse {
  @ApiProperty({ example: 'evt_019aa0c1f4005c7e8f0a1b2c3d4e5f60', description: 'Sent as `webhook-id`.' })
  eventId!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'pass.created',
    description: "The event's. Null: it is older than what is kept.",
  })
  type!: string | null;

  @ApiProperty({ type: String, format: 'date-time', description: 'When it happened.' })
  timestamp!: string;

  @ApiProperty({ type: String, enum: [...deliveryStatuses], example: 'delivered' })
  status!: DeliveryStatus;

  @ApiProperty({ type: 'integer', description: 'Since it was recorded, or replayed last.', example: 1 })
  attempts!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it is tried next.' })
  nextAttemptAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastAttemptAt!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Of the last answer; null: there was none.',
    example: 204,
  })
  statusCode!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the last attempt failed, in words.' })
  problem!: string | null;
}

/** A delivery as it is listed. */
export interface ListedDelivery {
  readonly eventId: string;
  readonly type: string | null;
  readonly occurredAt: Date;
  readonly attempts: number;
  readonly dueAt: Date | null;
  readonly attemptedAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly statusCode: number | null;
  readonly problem: string | null;
}

export function toWebhookDeliveryResponse(delivery: ListedDelivery): WebhookDeliveryResponse {
  const { eventId, type, occurredAt, attempts, dueAt, attemptedAt, deliveredAt, statusCode, problem } = delivery;
  const ended = deliveredAt ? 'delivered' : 'failed';
  return {
    eventId,
    type,
    timestamp: occurredAt.toISOString(),
    status: dueAt ? 'pending' : ended,
    attempts,
    nextAttemptAt: dueAt?.toISOString() ?? null,
    lastAttemptAt: attemptedAt?.toISOString() ?? null,
    statusCode,
    problem,
  };
}
