import { appError } from '@passwright/core';

/** 409: a test account cannot have its own credentials. */
export class TestAccountCredentials extends appError(409, 'invalid_transition') {
  constructor() {
    super(
      'This is a test account, which always uses the development credentials; hand in your own in a live account ' +
        '(POST /v1/auth/accounts creates one).',
    );
  }
}
