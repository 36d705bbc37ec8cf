import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { Database } from '../database.js';
import { dataSourceTo } from './data-source-options.js';
import { serviceClient } from './service-client.js';

it('a pool keeps unused connections for a minute', async () => {
  const { url } = await testDatabase();
  const dataSource = await new DataSource({ ...dataSourceTo(url, serviceClient(5000)), poolSize: 3 }).initialize();
  try {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'performance', 'Date'] });
    await Promise.all([1, 2, 3].map(() => dataSource.query('SELECT 1')));
    jest.advanceTimersByTime(55_000);
    expect(new Database(dataSource).poolUse).toMatchObject({ idle: 3 });
    jest.advanceTimersByTime(10_000);
    expect(new Database(dataSource).poolUse).toMatchObject({ idle: 0 });
  } finally {
    jest.useRealTimers();
    await dataSource.destroy();
  }
});
