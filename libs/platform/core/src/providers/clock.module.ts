import { Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.js';

/** Binds `Clock` to the machine's time. */
@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }], exports: [Clock] })
export class ClockModule {}
