import type { ErrorCase } from './device-error-cases.js';
import type { RunningService } from './running-service.js';

/** What the cases below are driven at; it is had when it is needed. */
interface Driven {
  readonly service: () => RunningService;
}

/** The errors of imports, before their first line. */
export function importErrorCases({ service }: Driven): ErrorCase[] {
  const send = (query: string, type: string) => async () => {
    const token = await (await service().register()).apiKey();
    const headers = { 'Content-Type': type };
    return service().request('POST', `/v1/memberships/members/import${query}`, { token, body: '{}', headers });
  };
  const lines = 'application/x-ndjson';
  return [
    ['importMembers', '400 validation_failed', 'there is no such choice', send('?existing=maybe', lines)],
    ['importMembers', '409 invalid_transition', 'there are no settings', send('', lines)],
    ['importMembers', '415 unsupported_media_type', 'the body is named as JSON', send('', 'application/json')],
  ];
}
