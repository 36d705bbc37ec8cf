import { ApiProperty } from '@nestjs/swagger';
import { DateTime, PageQuery, Text } from '@passwright/core';
import type { ListedEvent } from './audit-events.repository.js';

/** The filters of the audit trail. Several filters are combined with AND. */
export class AuditEventsQuery extends PageQuery {
  @Text({ optional: true, max: 100, description: 'Only events with this action.', example: 'template.changed' })
  action?: string;

  @Text({
    optional: true,
    max: 100,
    description: 'Only events of this actor: the id of a user or an API key, or `system` for the service itself.',
    example: 'system',
  })
  actor?: string;

  @Text({
    optional: true,
    max: 200,
    pattern: /^[A-Za-z]+(?::.+)?$/,
    patternHint: 'a kind, or a kind and an id with ":" between them, such as template:summer',
    description:
      'Only events about one kind of target, such as `template`, or about one target, such as ' + '`template:summer`.',
    example: 'template',
  })
  target?: string;

  @DateTime({ optional: true, description: 'Only events at or after this time.', example: '2026-01-01T00:00:00.000Z' })
  since?: string;

  @DateTime({ optional: true, description: 'Only events before this time.' })
  until?: string;
}

/** The actor of an audit event. */
export class AuditActorResponse {
  @ApiProperty({ enum: ['user', 'apiKey', 'system'] })
  kind!: 'user' | 'apiKey' | 'system';

  @ApiProperty({ type: String, nullable: true, description: 'The `uid` of the user or the id of the key.' })
  id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The current name of the user or key; null if it no longer exists.',
  })
  name!: string | null;
}

/** The target of an audit event. */
export class AuditTargetResponse {
  @ApiProperty({ example: 'template' })
  kind!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'summer',
    description: 'For a pass: `<templateId>:<passId>`. Null if the caller may not read the target.',
  })
  id!: string | null;
}

/** One event of the audit trail. */
export class AuditEventResponse {
  @ApiProperty()
  id!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  at!: string;

  @ApiProperty()
  actor!: AuditActorResponse;

  @ApiProperty({ example: 'template.changed' })
  action!: string;

  @ApiProperty()
  target!: AuditTargetResponse;

  @ApiProperty({ type: String, nullable: true, description: 'The IP address of the caller; null for the system.' })
  ip!: string | null;

  @ApiProperty({ type: String, nullable: true, description: '`X-Request-Id` of the response.' })
  requestId!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The changed properties before the change. Never contains secrets.',
  })
  before!: object | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The changed properties after the change.',
  })
  after!: object | null;
}

export function toAuditEventResponse(event: ListedEvent): AuditEventResponse {
  const { id, at, actorKind, actorId, actorName, action, targetKind, targetId, ip, requestId, before, after } = event;
  return {
    id,
    at: at.toISOString(),
    actor: { kind: actorKind, id: actorId, name: actorName },
    action,
    target: { kind: targetKind, id: targetId },
    ...{ ip, requestId, before, after },
  };
}
