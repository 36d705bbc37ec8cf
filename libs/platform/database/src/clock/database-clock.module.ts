import { Global, Module } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { DatabaseClock } from './database-clock.js';

/** Binds `Clock` to the time of the database. Needs `DatabaseModule`. */
@Global()
@Module({ providers: [DatabaseClock, { provide: Clock, useExisting: DatabaseClock }], exports: [Clock, DatabaseClock] })
export class DatabaseClockModule {}
