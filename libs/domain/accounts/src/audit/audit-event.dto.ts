import { ApiProperty } from '@nestjs/swagger';
import { DateTime, PageQuery, Text } from '@passwright/core';
import type { ListedEvent } from './audit-events.repository.js';

/** The filters of the audit trail; several narrow it down together. */
export class AuditEventsQuery extends PageQuery {
  @Text({ optional: true, max: 100, description: 'Those of one kind.', example: 'template.changed' })
  action?: string;

  @Text({
    optional: true,
    max: 100,
    description: 'What one user or API key did, by its id; `system` for what the service did by itself.',
    example: 'system',
  })
  actor?: string;

  @Text({
    optional: true,
    max: 200,
    pattern: /^[A-Za-z]+(?::.+)?$/,
    patternHint: 'a kind, or a kind and an id with ":" between them, such as template:summer',
    description: 'What was done to one kind of thing, `template`, or to one of them: `template:summer`.',
    example: 'template',
  })
  target?: string;

  @DateTime({ optional: true, description: 'Those of then or later.', example: '2026-01-01T00:00:00.000Z' })
  since?: string;

  @DateTime({ optional: true, description: 'Those before then.' })
  until?: string;
}

/** Who did it. */
export class AuditActorResponse {
  @ApiProperty({ enum: ['user', 'apiKey', 'system'] })
  kind!: 'user' | 'apiKey' | 'system';

  @ApiProperty({ type: String, nullable: true, description: 'The `uid` of the user or the id of the key.' })
  id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name the user or key has now; null when there is none of this id any more.',
  })
  name!: string | null;
}

/** What it was done to. */
export class AuditTargetResponse {
  @ApiProperty({ example: 'template' })
  kind!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'summer',
    description: 'Of a pass, `<templateId>:<passId>`. Null where the caller may not read it.',
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

  @ApiProperty({ type: String, nullable: true, description: 'The address it came from; null for the system.' })
  ip!: string | null;

  @ApiProperty({ type: String, nullable: true, description: '`X-Request-Id` of the answer.' })
  requestId!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'What has changed, as it was. Never secrets.',
  })
  before!: object | null;

  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true, description: 'And as it is since.' })
  after!: object | null;
}

/** An event as it is listed. */
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
