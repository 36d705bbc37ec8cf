import { appError } from '@passwright/core';
import type { Invite } from './invite.entity.js';

/** 404: no invitation has this code. The response is the same for a wrong code and for the code of another account. */
export class InviteNotFound extends appError(404, 'invite_not_found') {
  constructor() {
    super('There is no invitation with this code; check that the link was copied whole, or ask for a new invitation.');
  }
}

/** 410: the invitation was used, replaced or withdrawn, or has expired. The message says which. */
export class InviteExpired extends appError(410, 'invite_expired') {
  constructor({ endedBy, expiresAt }: Pick<Invite, 'endedBy' | 'expiresAt'>) {
    super(endedBy ? endings[endedBy] : `The invitation expired at ${expiresAt.toISOString()}; ask for a new one.`);
  }
}

const endings = {
  accepted: 'The invitation has been accepted, and works once; log in: POST /v1/auth/login.',
  replaced: 'A newer invitation to the same address took the place of this one; use the link of the latest e-mail.',
  revoked: 'The invitation was withdrawn; ask for a new one.',
};

/** 409: the invited person is already in the account. */
export class AlreadyInAccount extends appError(409, 'email_taken') {
  constructor(email: string) {
    super(
      `${email} is the e-mail of a user who is in this account; change their role instead: PATCH /v1/account/members/{uid}.`,
    );
  }
}

/** 409: the invited person is already a user and must accept as that user. */
export class InvitedUserExists extends appError(409, 'email_taken') {
  constructor() {
    super(
      'A user with the invited e-mail is registered: log in (POST /v1/auth/login) and accept with that access token, without a body.',
    );
  }
}
