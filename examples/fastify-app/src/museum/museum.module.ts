import { type DynamicModule, Module, ValidationPipe } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ExhibitsController } from './exhibits.controller.js';
import { MuseumErrorFilter } from './museum-error.filter.js';
import { ServedByInterceptor } from './served-by.interceptor.js';
import { StaffGuard, StaffKey } from './staff.guard.js';

/** The app before it imported Passwright. Its filter, guard, pipe and interceptor apply to all routes. */
@Module({
  controllers: [ExhibitsController],
  providers: [
    { provide: APP_FILTER, useClass: MuseumErrorFilter },
    { provide: APP_GUARD, useClass: StaffGuard },
    { provide: APP_INTERCEPTOR, useClass: ServedByInterceptor },
    { provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true, transform: true }) },
  ],
})
export class MuseumModule {
  static forRoot(staff: StaffKey): DynamicModule {
    return { module: MuseumModule, providers: [{ provide: StaffKey, useValue: staff }] };
  }
}
