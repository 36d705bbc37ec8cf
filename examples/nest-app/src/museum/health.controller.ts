import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';

/** A route outside of the global prefix and the versions. */
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  @Get()
  health(): string {
    return 'up';
  }
}
