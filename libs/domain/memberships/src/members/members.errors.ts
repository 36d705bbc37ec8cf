import { appError } from '@passwright/core';

/** 404: the account has no member with this id. */
export class MemberNotFound extends appError(404, 'member_not_found') {
  constructor(memberId: number) {
    super(`There is no member ${memberId}; GET /v1/memberships/members lists those there are.`);
  }
}

/** 409: the account has another member with this e-mail address, regardless of case. */
export class MemberExists extends appError(409, 'member_exists') {
  constructor() {
    super('There is a member with this email already; find it with GET /v1/memberships/members?email=… and change it.');
  }
}
