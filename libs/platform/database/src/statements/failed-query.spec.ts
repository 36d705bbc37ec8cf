import { QueryFailedError } from 'typeorm';
import { asQueryFailed } from './failed-query.js';

it("asQueryFailed throws TypeORM's error with the statement, its values and the driver's code", () => {
  const driverError = Object.assign(new Error('duplicate key'), { code: '23505' });
  const fail = () => asQueryFailed('SELECT $1', ['a'])(driverError);
  expect(fail).toThrow(QueryFailedError);
  expect(fail).toThrow(
    expect.objectContaining({
      query: 'SELECT $1',
      parameters: ['a'],
      driverError,
      code: '23505',
      message: 'duplicate key',
    }),
  );
});
