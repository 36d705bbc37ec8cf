import { Forbidden, Unauthorized } from '@passwright/core';

/** 401: the code is unknown, was already used or has expired. */
export class CodeNotValid extends Unauthorized {
  constructor() {
    super('The code is not valid, or no longer: each code works once, and only the latest one. Ask for a new one.');
  }
}

/** 403: a signed-in user gave a wrong password. A 401 would mean that the session has ended. */
export class PasswordWrong extends Forbidden {
  constructor(property: string) {
    super(
      `${property} is not the user's password. A user without a password can set one by e-mail: ` +
        'POST /v1/auth/password/forgot.',
    );
  }
}
