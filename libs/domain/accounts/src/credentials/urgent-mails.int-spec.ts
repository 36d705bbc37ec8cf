import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { AccountsNode } from '../accounts.fixtures.js';

it('the mail with a code for a new password is sent before the invitations that wait', async () => {
  const node = await AccountsNode.start();
  try {
    const { accountId, accessToken: token, email } = await node.register();
    await node.call('post', '/v1/account/invite', { token, body: { email: `${randomUUID()}@example.com` } });
    await node.call('post', '/v1/auth/password/forgot', { body: { email } });
    const { body: me } = await node.call('get', '/v1/auth/me', { token });
    const waiting = await node.app.get(DataSource).query<{ task: string }[]>(
      `SELECT task.identifier AS task
         FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
        WHERE (task.identifier = 'invite.sent' AND payload->>'accountId' = $1)
           OR (task.identifier = 'password.forgotten' AND payload->>'uid' = $2)
        ORDER BY job.priority, job.id`,
      [accountId, me.uid],
    );
    expect(waiting.map(({ task }) => task)).toEqual(['password.forgotten', 'invite.sent']);
  } finally {
    await node.stop();
  }
});
