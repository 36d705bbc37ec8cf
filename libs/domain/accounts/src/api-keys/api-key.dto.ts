import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DateTime, Flag, Name, type Scope, scopes } from '@passwright/core';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsOptional, Matches } from 'class-validator';
import { apiKeyPrefix } from './api-key-format.js';
import { ApiKey } from './api-key.entity.js';

function OptionalScopes(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      enum: scopes,
      enumName: 'Scope',
      isArray: true,
      required: false,
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description,
    }),
    IsOptional(),
    IsArray(),
    ArrayMinSize(1, { message: '$property must name at least one scope; leave it out for the default' }),
    ArrayUnique({ message: '$property must name each scope once' }),
    IsIn(scopes, { each: true, message: `$property must hold only these: ${scopes.join(', ')}` }),
  );
}

/** Documents and validates a list of tool names. The service checks that the tools exist. */
function OptionalTools(description: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: 'array',
      items: { type: 'string', maxLength: 64, pattern: '^[A-Za-z]{1,64}$', example: 'createPass' },
      required: false,
      nullable: true,
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description,
    }),
    IsOptional(),
    IsArray(),
    ArrayMinSize(1, { message: '$property must name at least one tool; leave it out for the default' }),
    ArrayMaxSize(100),
    ArrayUnique({ message: '$property must name each tool once' }),
    Matches(/^[A-Za-z]{1,64}$/, { each: true, message: '$property must hold names of tools, such as createPass' }),
  );
}

/** Request body that creates an API key. */
export class NewApiKeyRequest {
  @Name({ max: 200, description: 'What the key is used for, on one line.', example: 'Web shop' })
  name!: string;

  @OptionalScopes('The scopes of the key. Default: all scopes that you have, except `account:write`.')
  scopes?: Scope[] | null;

  @OptionalTools(
    'The MCP tools that agents with this key can use. Default: all tools, or those of the key that creates it. Does ' +
      'not limit other requests with the key.',
  )
  tools?: string[] | null;

  @Flag({
    optional: true,
    description:
      'True: the key works only at `/mcp`, and a user of the account must confirm each plan of its agents. ' +
      'Default: false, or true if the key that creates it is supervised.',
  })
  supervised?: boolean | null;

  @DateTime({
    optional: true,
    description: 'When the key expires. Default: never, or when the creating key does.',
    example: '2030-12-31T23:00:00.000Z',
  })
  expiresAt?: string | null;
}

/** An API key as it appears in lists, without its secret. */
export class ApiKeyResponse {
  @ApiProperty({ example: '4fzTm0Jd8xYc2LqWvB7RkP' })
  id!: string;

  @ApiProperty({ example: 'Web shop' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the key.', example: 'pw_live_4fzTm0Jd8xYc2LqWvB7RkP' })
  prefix!: string;

  @ApiProperty({ enum: scopes, enumName: 'Scope', isArray: true, maxItems: scopes.length })
  scopes!: Scope[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', maxLength: 64 },
    maxItems: 100,
    nullable: true,
    description: 'The MCP tools that agents with this key can use. Null: all tools.',
    example: ['listTemplates', 'createPass'],
  })
  tools!: string[] | null;

  @ApiProperty({ description: 'True: the key works only at `/mcp`, and a user must confirm each plan of its agents.' })
  supervised!: boolean;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the key expires. Null: never.' })
  expiresAt!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the key was last used, to the minute. Null: never used.',
  })
  lastUsedAt!: string | null;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;
}

/** An API key with its secret. Only creation and rotation return it. */
export class ApiKeyWithSecretResponse extends ApiKeyResponse {
  @ApiProperty({
    description: 'The whole key, shown only this once. Send it as `Authorization: Bearer pw_live_…`.',
    example: 'pw_live_4fzTm0Jd8xYc2LqWvB7RkP_9aQe3Zr6Uy1Ht5Nk8Mb2Xc_n3K8vQxZ2mT7yLcW5bHf0RjD9sPgA4eUiV6oXqM1tYB1mOirF',
  })
  key!: string;
}

/** Returns an API key without its hash. @param isTest true for a key of a test account */
export function toApiKeyResponse(key: ApiKey, isTest: boolean): ApiKeyResponse {
  const { id, name, scopes, tools, supervised, expiresAt, lastUsedAt, createdAt } = key;
  return {
    id,
    name,
    prefix: apiKeyPrefix(isTest) + id,
    scopes,
    tools,
    supervised,
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
