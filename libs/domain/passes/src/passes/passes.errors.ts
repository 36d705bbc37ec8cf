import { appError } from '@passwright/core';

/**
 * 404: the account, the template or the pass does not exist. The response is the same in all three cases, so that it
 * reveals nothing about other accounts.
 */
export class PassNotFound extends appError(404, 'pass_not_found') {
  /** @param wasDeleted true if the pass was deleted; pages for holders then say this */
  constructor(
    templateId: string,
    passId: string,
    readonly wasDeleted = false,
  ) {
    super(`There is no pass "${passId.slice(0, 64)}" of a template "${templateId.slice(0, 64)}"; check both ids.`);
  }
}

/** 409: the template already has a pass with this id or code. */
export class PassExists extends appError(409, 'pass_exists') {
  /** @param property the property whose value is taken. @param value the value */
  constructor(property: 'id' | 'code', templateId: string, value: string) {
    const name = value.length > 64 ? `${value.slice(0, 64)}…` : value;
    super(
      `Template "${templateId}" already has a pass with the ${property} "${name}"; choose another or leave it out.`,
    );
  }
}

/** 409: the pass is managed by a member, and only the member may change these properties. */
export class PassManagedByMember extends appError(409, 'invalid_transition') {
  constructor(passId: string) {
    super(
      `Pass "${passId}" is a member's: it is void, ends, is named and goes with the member. Change the member instead: ` +
        `GET /v1/memberships/members finds them.`,
    );
  }
}
