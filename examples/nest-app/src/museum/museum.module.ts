import { Module, ValidationPipe } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SettingsModule } from '../settings.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { Exhibit } from './exhibit.entity.js';
import { ExhibitsController } from './exhibits.controller.js';
import { HealthController } from './health.controller.js';
import { MuseumErrorFilter } from './museum-error.filter.js';
import { OpeningHoursController } from './opening-hours.controller.js';
import { StaffGuard } from './staff.guard.js';

/** The app before it imported Passwright. Its filter, guard, pipe and interceptor apply to all routes. */
@Module({
  imports: [SettingsModule, TypeOrmModule.forFeature([Exhibit])],
  controllers: [ExhibitsController, OpeningHoursController, HealthController],
  providers: [
    { provide: APP_FILTER, useClass: MuseumErrorFilter },
    { provide: APP_GUARD, useClass: StaffGuard },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true, transform: true }) },
  ],
})
export class MuseumModule {}
