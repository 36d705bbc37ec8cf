import { Database } from '@passwright/database';
import { TestApp } from '../test-app.fixtures.js';
import { GoogleProgressService } from './google-progress.service.js';

let app: TestApp;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());

it('the service counts the passes that holders have saved, and reads no more objects than its limit', async () => {
  const { id } = await app.account();
  await app.get(Database).reads.query(
    `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, serial_number, saves, created_at)
     SELECT $1, '3388', 's' || n, 'offer', 'offer', 's' || n, n % 2, $2 FROM generate_series(1, 10) n`,
    [id, app.clock.now()],
  );
  const count = (most: number) => app.get(GoogleProgressService).countHeld(id, 'offer', most);
  expect(await count(11)).toEqual({ count: 5, isAtLeast: false });
  const stopped = await count(4);
  expect(stopped).toMatchObject({ isAtLeast: true });
  expect(stopped.count).toBeLessThanOrEqual(4);
});
