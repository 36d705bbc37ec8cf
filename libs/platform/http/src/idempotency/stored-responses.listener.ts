import { Injectable } from '@nestjs/common';
import { Listens, StoredSecretsListener } from '@passwright/core';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Reports the master keys that stored responses still need. Stored responses expire, so they are not re-encrypted. */
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
