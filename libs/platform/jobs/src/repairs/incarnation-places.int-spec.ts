import { Injectable } from '@nestjs/common';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { Errand, startApp } from '../jobs.fixtures.js';
import { JobHandler } from '../job-handler.decorator.js';
import { Jobs } from '../jobs.js';
import { IncarnationBegan, IncarnationWorkLeft } from './incarnation.jobs.js';

const done: string[] = [];

@Injectable()
class Repairs {
  @JobHandler(IncarnationBegan)
  began({ incarnation }: IncarnationBegan['payload']): Promise<void> {
    done.push(incarnation);
    return Promise.resolve();
  }

  @JobHandler(IncarnationWorkLeft)
  work({ name }: IncarnationWorkLeft['payload']): Promise<void> {
    done.push(name);
    return Promise.resolve();
  }
}

it('repairs after a restore run even while other background work is slow', async () => {
  const { url } = await testDatabase();
  const dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  const { app, errands } = await startApp({ url, stopWithinMs: 100 }, Repairs);
  const add = (...jobs: Parameters<Jobs['addMany']>[1]) => dataSource.transaction((tx) => new Jobs().addMany(tx, jobs));
  await add(...['one', 'two', 'three'].map((name) => new Errand(name, 'heed')));
  await errands.until(() => errands.begun.length > 0);
  await add(
    new IncarnationBegan({ incarnation: 'restored' }),
    new IncarnationWorkLeft({ incarnation: '', name: 'phones' }),
  );
  while (done.length < 2) await new Promise(setImmediate);
  expect([...done].sort()).toEqual(['phones', 'restored']);
  expect(errands.begun).toHaveLength(1);
  await app.close();
  await dataSource.query('DELETE FROM graphile_worker._private_jobs');
  await dataSource.destroy();
});
