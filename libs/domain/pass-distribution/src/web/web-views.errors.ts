import { appError } from '@passwright/core';

/** 410: the pass was deleted and was not recreated. */
export class PassWasDeleted extends appError(410, 'pass_deleted') {
  constructor(templateId: string, passId: string) {
    super(`The pass "${passId}" of the template "${templateId}" was deleted; it is no longer valid.`);
  }
}
