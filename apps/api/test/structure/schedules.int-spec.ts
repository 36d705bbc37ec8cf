import { JobDiscoveryService } from '@passwright/jobs/testing';
import { RunningService } from '../support/running-service.js';

/** The crontab (UTC) or the event, and the lane, of every schedule by name. */
const schedules = {
  'accounts.delete-due': ['*/10 * * * *', 'timed'],
  'agent-plans.delete-expired': ['47 * * * *', 'timed'],
  'apple-certificates.notify-of-expiry': ['23 * * * *', 'timed'],
  'apple-devices.ask-silent': ['23 2 * * *', 'timed'],
  'apple-devices.delete-old': ['41 3 * * *', 'timed'],
  'apple-push.end-dead-claims': ['process died', 'looks'],
  'apple-push.look': ['* * * * *', 'looks'],
  'audit-events.drop-old': ['53 * * * *', 'timed'],
  'google-wallet.forget-callbacks': ['23 * * * *', 'timed'],
  'google-wallet.look': ['* * * * *', 'looks'],
  'google-wallet.pull-back': ['*/5 * * * *', 'looks'],
  'google-wallet.repair-times': ['clock went back', 'looks'],
  'idempotency-keys.delete-expired': ['23 * * * *', 'timed'],
  'images.collect-garbage': ['*/10 * * * *', 'timed'],
  'invites.delete-expired': ['41 * * * *', 'timed'],
  'jobs.empty-outbox': ['* * * * *', 'looks'],
  'known-addresses.delete-old': ['47 * * * *', 'timed'],
  'master-keys.re-encrypt': ['41 * * * *', 'timed'],
  'memberships.encrypt-members': ['*/5 * * * *', 'timed'],
  'memberships.run-due': ['* * * * *', 'timed'],
  'messages.delete-old': ['31 4 * * *', 'timed'],
  'messages.look': ['* * * * *', 'looks'],
  'pass-mails.delete-old': ['21 4 * * *', 'timed'],
  'pass-mails.forget-recipients': ['13 * * * *', 'timed'],
  'passes.expire': ['* * * * *', 'timed'],
  'passes.forget-deleted': ['11 4 * * *', 'timed'],
  'passes.pull-back': ['*/5 * * * *', 'looks'],
  'passes.repair-times': ['clock went back', 'looks'],
  'payments.forget': ['41 3 * * *', 'timed'],
  'personal-data.create-keys': ['*/5 * * * *', 'timed'],
  'personal-data.encrypt': ['*/5 * * * *', 'timed'],
  'rate-limits.delete-expired': ['*/10 * * * *', 'timed'],
  'sessions.delete-expired': ['17 * * * *', 'timed'],
  'template-versions.delete-old': ['23 4 * * *', 'timed'],
  'usage.note-day': ['59 * * * *', 'timed'],
  'usage.note-month': ['59 * * * *', 'timed'],
  'user-codes.delete-expired': ['37 * * * *', 'timed'],
  'webhooks.end-dead-claims': ['process died', 'looks'],
  'webhooks.forget-events': ['37 * * * *', 'timed'],
  'webhooks.forget-secrets': ['17 * * * *', 'timed'],
  'webhooks.look': ['* * * * *', 'looks'],
  'webhooks.pull-back': ['*/5 * * * *', 'looks'],
  'webhooks.repair-times': ['clock went back', 'looks'],
};

/** The names under which earlier versions queue the jobs of schedules. */
const formerNames = ['apple-certificates.tell-of-expiry', 'images.sweep-prepared', 'master-keys.seal-anew'];

let service: RunningService;
beforeAll(async () => {
  service = await RunningService.start();
});
afterAll(() => service.stop());

it('the service has exactly the schedules of this list, each of them once', () => {
  const found = service.app.get(JobDiscoveryService, { strict: false }).find();
  const rows = found.schedules.map(({ name, crontab, after }) => {
    const when = crontab ?? after ?? 'clock went back';
    return [name, [when, found.tasks.get(name)?.lane]] as const;
  });
  expect(Object.fromEntries(rows)).toEqual(schedules);
  expect(rows).toHaveLength(Object.keys(schedules).length);
});

it.each(formerNames)('the service runs the jobs that an earlier version queued as %s', (name) => {
  const { tasks } = service.app.get(JobDiscoveryService, { strict: false }).find();
  expect(tasks.get(name)?.lane).toBe('timed');
});
