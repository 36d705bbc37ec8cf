import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  LimitExceeded,
  MalformedJson,
  PageQuery,
  RequireScope,
  SecretResponse,
  ValidationFailed,
  type Page,
  type Principal,
} from '@passwright/core';
import { ApiKeyResponse, ApiKeyWithSecretResponse, NewApiKeyRequest } from './api-key.dto.js';
import { ApiKeyNotFound } from './api-keys.errors.js';
import { ApiKeysService } from './api-keys.service.js';

const newKeyExamples = {
  'A key for your backend': { value: { name: 'backend' } },
  'A key for issuing passes': {
    value: { name: 'Web shop', scopes: ['templates:read', 'passes:read', 'passes:write'] },
  },
};

@ApiTags('auth')
@Controller('v1/auth/keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post()
  @RequireScope('account:write')
  @SecretResponse()
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'The response shows the whole `key` once; only its hash is stored. Callers cannot grant scopes that they ' +
      'lack. An API key cannot create one that lasts longer or has fewer limits.',
  })
  @ApiBody({ type: NewApiKeyRequest, examples: newKeyExamples })
  @ApiCreatedResponse({ type: ApiKeyWithSecretResponse })
  @ApiErrors(ValidationFailed, MalformedJson, LimitExceeded)
  create(@Caller() caller: Principal, @Body() request: NewApiKeyRequest): Promise<ApiKeyWithSecretResponse> {
    return this.apiKeys.create(caller, request);
  }

  @Get()
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'listApiKeys',
    summary: 'List API keys',
    description: 'Lists the API keys newest first, without secrets.',
  })
  @ApiPage(ApiKeyResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() { accountId }: Principal, @Query() query: PageQuery): Promise<Page<ApiKeyResponse>> {
    return this.apiKeys.list(accountId, query);
  }

  @Delete(':keyId')
  @HttpCode(204)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'The key stops working immediately, on every node. Open invitations that it sent are revoked.',
  })
  @ApiNoContentResponse({ description: 'The key is revoked.' })
  @ApiErrors(ApiKeyNotFound)
  revoke(@Caller() { accountId }: Principal, @Param('keyId') keyId: string): Promise<void> {
    return this.apiKeys.revoke(accountId, keyId);
  }

  @Post(':keyId/rotate')
  @HttpCode(200)
  @RequireScope('account:write')
  @SecretResponse()
  @ApiOperation({
    operationId: 'rotateApiKey',
    summary: 'Rotate an API key',
    description:
      'Keeps the id, name, scopes and tools. The old secret stops working immediately; the response shows the ' +
      'new `key` once. A caller who lacks one of the key’s scopes cannot rotate it, and neither can a key that ' +
      'expires sooner or has more limits.',
  })
  @ApiOkResponse({ type: ApiKeyWithSecretResponse })
  @ApiErrors(ApiKeyNotFound)
  rotate(@Caller() caller: Principal, @Param('keyId') keyId: string): Promise<ApiKeyWithSecretResponse> {
    return this.apiKeys.rotate(caller, keyId);
  }
}
