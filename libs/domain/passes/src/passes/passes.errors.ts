import { appError } from '@passwright/core';

/**
 * 404: there is no such pass, whether its account, its template or the pass itself is missing. The answer is the same,
 * so that nothing of another account's can be told from it.
 */
export class PassNotFound extends appError(404, 'pass_not_found') {
  constructor(templateId: string, passId: string) {
    super(`There is no pass "${passId.slice(0, 64)}" of a template "${templateId.slice(0, 64)}"; check both ids.`);
  }
}

/** 409: the template has a pass with this id or this code. */
export class PassExists extends appError(409, 'pass_exists') {
  /** @param property which of the two is taken. @param value at fault */
  constructor(property: 'id' | 'code', templateId: string, value: string) {
    const name = value.length > 64 ? `${value.slice(0, 64)}…` : value;
    super(
      `Template "${templateId}" already has a pass with the ${property} "${name}"; choose another or leave it out.`,
    );
  }
}

/** 409: the pass is a member's, whom it follows in all that this would change. */
export class PassFollowsMember extends appError(409, 'invalid_transition') {
  constructor(passId: string) {
    super(
      `Pass "${passId}" is a member's: it is void, ends, is named and goes with the member. Change the member instead: ` +
        `GET /v1/memberships/members finds them.`,
    );
  }
}
