import { connect } from './connect.js';
import { testDatabase } from './test-database.js';
import { jobsIdle } from './jobs-idle.js';

it('jobsIdle waits for jobs that are due or running, but not for jobs that are due later', async () => {
  const { url } = await testDatabase();
  const client = await connect(url, 'spec');
  const tasks = ['idle.test'];
  try {
    await client.query(`SELECT graphile_worker.add_job('idle.test', run_at := now() + interval '1 day')`);
    await jobsIdle(url, { tasks });

    const { rows } = await client.query(`SELECT id FROM graphile_worker.add_job('idle.test')`);
    await expect(jobsIdle(url, { tasks, timeoutMs: 60 })).rejects.toThrow('left after 60 ms: idle.test (due)');
    await jobsIdle(url, { tasks: ['idle.other'] });
    await client.query('UPDATE graphile_worker._private_jobs SET locked_at = now() WHERE id = $1', [rows[0].id]);
    await expect(jobsIdle(url, { tasks, timeoutMs: 60 })).rejects.toThrow('idle.test (running)');

    const idle = jobsIdle(url, { tasks });
    await client.query('DELETE FROM graphile_worker._private_jobs WHERE id = $1', [rows[0].id]);
    await idle;
  } finally {
    await client.query(`DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
                         WHERE t.id = j.task_id AND t.identifier = 'idle.test'`);
    await client.end();
  }
});
