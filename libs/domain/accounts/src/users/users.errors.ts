import { appError } from '@passwright/core';

/** 409: a user with this e-mail already exists. */
export class EmailTaken extends appError(409, 'email_taken') {
  constructor() {
    super('A user with this e-mail is registered; log in instead: POST /v1/auth/login.');
  }
}
