import { appError, Unauthorized } from '@passwright/core';

/** 409: a user with this e-mail already exists. */
export class EmailTaken extends appError(409, 'email_taken') {
  constructor() {
    super('A user with this e-mail is registered; log in instead: POST /v1/auth/login.');
  }
}

/** 401: the user was deleted during the request, with the last account that the user was in. */
export class UserDeleted extends Unauthorized {
  constructor() {
    super('The user was deleted, because the last account of the user was deleted.');
  }
}
