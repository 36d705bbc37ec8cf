import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';

/** A route without the global prefix and without a version. */
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  @Get()
  health(): string {
    return 'up';
  }
}
