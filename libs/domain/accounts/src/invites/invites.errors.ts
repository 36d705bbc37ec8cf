import { appError } from '@passwright/core';
import type { Invite } from './invite.entity.js';

/** 404: no invitation has this code; the same for a wrong one and one of another account. */
export class InviteNotFound extends appError(404, 'invite_not_found') {
  constructor() {
    super('There is no invitation with this code; check that the link was copied whole, or ask for a new invitation.');
  }
}

/** 410: the invitation was used, replaced or withdrawn, or its time is over; the message says which. */
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

/** 409: who is to be invited is in the account. */
export class AlreadyInAccount extends appError(409, 'email_taken') {
  constructor(email: string) {
    super(
      `${email} is the e-mail of a user who is in this account; change their role instead: PATCH /v1/account/members/{uid}.`,
    );
  }
}

/** 409: the invited has a user, and is to come as that one. */
export class InvitedUserExists extends appError(409, 'email_taken') {
  constructor() {
    super(
      'A user with the invited e-mail is registered: log in (POST /v1/auth/login) and accept with that access token, without a body.',
    );
  }
}
