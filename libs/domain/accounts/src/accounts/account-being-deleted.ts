import { Forbidden } from '@passwright/core';

/** 403: the account is being deleted, so its data can no longer be changed. */
export class AccountBeingDeleted extends Forbidden {
  constructor(deletesAt: Date) {
    super(
      `The account is being deleted on ${deletesAt.toISOString()}, so API keys and changes are rejected. An admin who ` +
        'signs in can take that back: DELETE /v1/account/deletion.',
    );
  }
}
