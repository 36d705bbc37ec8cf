import type { ErrorCase } from './device-error-cases.js';
import type { Account } from '../support/running-service.js';

/** Returns the error cases of the lint and the previews of templates. */
export function draftErrorCases({ account }: { readonly account: () => Account }): ErrorCase[] {
  const post = (path: string, body: object = {}) => account().post(path, body);
  const get = (path: string) => account().get(path);
  const missing = 'there is no such template';
  return [
    [
      'lintTemplate',
      '400 validation_failed',
      'the draft is a string',
      () => post('/v1/templates/t/lint', { template: 'x' }),
    ],
    ['lintTemplate', '404 template_not_found', missing, () => post('/v1/templates/none/lint')],
    [
      'previewDraft',
      '400 validation_failed',
      'the draft is a list',
      () => post('/v1/templates/t/preview', { template: [] }),
    ],
    ['previewDraft', '404 template_not_found', missing, () => post('/v1/templates/none/preview')],
    [
      'previewTemplate',
      '400 validation_failed',
      'the format is unknown',
      () => get('/v1/templates/offer/preview?format=pdf'),
    ],
    ['previewTemplate', '404 template_not_found', missing, () => get('/v1/templates/none/preview')],
  ];
}
