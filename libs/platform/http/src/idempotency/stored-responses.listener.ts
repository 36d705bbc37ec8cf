import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Reports the master keys of stored responses, which expire and are not re-encrypted. */
@Injectable()
@Listens(StoredSecretsListener)
export class StoredResponsesListener extends StoredSecretsListener {
  constructor(private readonly repository: IdempotencyRepository) {
    super();
  }

  override responseKeyIds(): Promise<readonly string[]> {
    return this.repository.listKeyIds();
  }
}
