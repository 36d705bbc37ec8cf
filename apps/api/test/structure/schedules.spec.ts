import { scheduledOutsideCron } from './schedules.js';

const withSchedule = `
@Injectable()
export class Sessions {
  @Scheduled({ name: 'sessions.delete-expired', crontab: '17 * * * *' })
  async deleteExpired(): Promise<void> {}

  /** Is not on a schedule. */
  end(): void {}
}`;

it('the guard reports each scheduled method outside of cron files', () => {
  const files = [
    { path: 'sessions.service.ts', text: withSchedule },
    { path: 'sessions.handlers.ts', text: `${withSchedule}\nexport class Others {\n  @Scheduled(often) run() {}\n}` },
  ];
  expect(scheduledOutsideCron(files)).toEqual([
    'sessions.service.ts: Sessions.deleteExpired',
    'sessions.handlers.ts: Sessions.deleteExpired',
    'sessions.handlers.ts: Others.run',
  ]);
});

it('the guard allows schedules in cron files, and comments that mention them', () => {
  const comment = "/** Example: `@Scheduled({ name: 'sessions.delete-expired' })`. */\nexport class Schedule {}";
  const files = [
    { path: 'sessions.cron.ts', text: withSchedule },
    { path: 'scheduled.decorator.ts', text: comment },
  ];
  expect(scheduledOutsideCron(files)).toEqual([]);
});
