import { appError } from '@passwright/core';

/** 404: the account has no API key with this id. */
export class ApiKeyNotFound extends appError(404, 'key_not_found') {
  constructor(keyId: string) {
    super(`There is no API key "${keyId.slice(0, 64)}"; GET /v1/auth/keys lists those there are.`);
  }
}
