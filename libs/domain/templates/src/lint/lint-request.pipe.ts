import { Injectable, type PipeTransform } from '@nestjs/common';
import { ValidationFailed } from '@passwright/core';
import { isObject, passDraft, type PassDraft, templateDraft, type TemplateDraft } from './template-draft.js';

/** The drafts to check. A draft that was not sent is null. */
export interface LintDrafts {
  readonly template: TemplateDraft | null;
  readonly pass: PassDraft | null;
}

/**
 * Reads the body of a lint. Rejects only a body that does not have the form of drafts: mistakes within drafts are
 * findings of the lint.
 * @throws ValidationFailed
 */
@Injectable()
export class LintRequestPipe implements PipeTransform<unknown, Promise<LintDrafts>> {
  async transform(body: unknown = {}): Promise<LintDrafts> {
    if (!isObject(body)) throw new ValidationFailed('the body must be a JSON object, sent as application/json');
    const unknown = Object.keys(body).filter((name) => name !== 'template' && name !== 'pass');
    const problems = [
      ...unknown.slice(0, 20).map((name) => `${name.slice(0, 100)} is not known here`),
      ...(['template', 'pass'] as const).flatMap((name) =>
        isDraft(body[name]) ? [] : [`${name} must be an object, or be left out`],
      ),
    ];
    if (problems.length > 0) throw new ValidationFailed(problems);
    return {
      template: isObject(body.template) ? await templateDraft(body.template) : null,
      pass: isObject(body.pass) ? await passDraft(body.pass) : null,
    };
  }
}

function isDraft(value: unknown): boolean {
  return value === undefined || value === null || isObject(value);
}
