import type { ErrorCase } from './device-error-cases.js';
import type { RunningService } from '../support/running-service.js';

interface Driven {
  readonly service: () => RunningService;
}

/** Returns the error cases of imports that fail before their first line. */
export function importErrorCases({ service }: Driven): ErrorCase[] {
  const send = (query: string, type: string) => async () => {
    const token = await (await service().register()).apiKey();
    const headers = { 'Content-Type': type };
    return service().request('POST', `/v1/memberships/members/import${query}`, { token, body: '{}', headers });
  };
  const lines = 'application/x-ndjson';
  const batch =
    (templateId: string, query = '', type = lines) =>
    async () => {
      const account = await service().register();
      await account.saveTemplate('offer');
      await account.saveTemplate('offer', 'archived');
      await account.post('/v1/templates/archived/archive');
      const headers = { 'Content-Type': type };
      const path = `/v1/pass/${templateId}/batch${query}`;
      return service().request('POST', path, { token: account.token, body: '{}', headers });
    };
  return [
    ['createPasses', '400 validation_failed', 'the value of `existing` is unknown', batch('offer', '?existing=maybe')],
    ['createPasses', '404 template_not_found', 'there is no such template', batch('none')],
    ['createPasses', '409 template_archived', 'the template is archived', batch('archived')],
    ['createPasses', '415 unsupported_media_type', 'the content type is JSON', batch('offer', '', 'application/json')],
    ['importMembers', '400 validation_failed', 'the value of `existing` is unknown', send('?existing=maybe', lines)],
    ['importMembers', '409 invalid_transition', 'there are no settings', send('', lines)],
    ['importMembers', '415 unsupported_media_type', 'the content type is JSON', send('', 'application/json')],
  ];
}
