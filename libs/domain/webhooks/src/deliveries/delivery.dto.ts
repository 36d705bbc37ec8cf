import { ApiProperty } from '@nestjs/swagger';
import { DateTime, OneOf, PageQuery } from '@passwright/core';

const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
const replayedStatuses = ['failed', 'delivered', 'missed'] as const;
export type ReplayedStatus = (typeof replayedStatuses)[number];

/** Query that filters a list of deliveries. */
export class WebhookDeliveriesQuery extends PageQuery {
  @OneOf({
    description: 'Only deliveries with this status.',
    values: deliveryStatuses,
    example: 'failed',
    optional: true,
  })
  status?: DeliveryStatus | null;
}

/** Request body that replays many deliveries. */
export class WebhookReplayRequest {
  @DateTime({ description: 'Only events at or after this time.', example: '2026-11-20T10:00:00.000Z' })
  since!: string;

  @DateTime({
    description: 'Only events before this time. Default: now.',
    example: '2026-11-21T10:00:00.000Z',
    optional: true,
  })
  until?: string | null;

  @OneOf({
    description:
      'Which events to replay: `failed`, `delivered` or `missed`. `missed` are events of the webhook’s types ' +
      'that were never sent to it. Default: failed.',
    values: replayedStatuses,
    example: 'failed',
    optional: true,
  })
  status?: ReplayedStatus | null;
}

/** The number of deliveries in a replay. */
export class WebhookReplayResponse {
  @ApiProperty({ type: 'integer', example: 12 })
  replayed!: number;
}

/** The delivery of one event to one webhook. */
export class WebhookDeliveryResponse {
  @ApiProperty({
    example: 'evt_019aa0c1f4005c7e8f0a1b2c3d4e5f60',
    description: 'The id of the event, sent as `webhook-id`.',
  })
  eventId!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'pass.created',
    description: 'The type of the event. Null: the event is no longer stored.',
  })
  type!: string | null;

  @ApiProperty({ type: String, format: 'date-time', description: 'The time of the event.' })
  timestamp!: string;

  @ApiProperty({ type: String, enum: [...deliveryStatuses], example: 'delivered' })
  status!: DeliveryStatus;

  @ApiProperty({ type: 'integer', description: 'Attempts since the event was recorded or last replayed.', example: 1 })
  attempts!: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the next attempt is made.' })
  nextAttemptAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastAttemptAt!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The status of the last response; null if there was none.',
    example: 204,
  })
  statusCode!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the last attempt failed.' })
  problem!: string | null;
}

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
