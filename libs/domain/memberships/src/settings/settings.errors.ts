import { InvalidTransition, NotFound } from '@passwright/core';

/** 404: the account has no membership settings yet. */
export class NoMembershipSettings extends NotFound {
  constructor() {
    super('There are no membership settings yet; make them: PUT /v1/memberships/settings.');
  }
}

/** 409: the account needs membership settings before it can create members. */
export class MembershipsNotSetUp extends InvalidTransition {
  constructor() {
    super('Memberships are not set up yet; name a template for their passes first: PUT /v1/memberships/settings.');
  }
}
