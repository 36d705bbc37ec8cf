import { Controller, Get, NotFoundException, Param } from '@nestjs/common';

const hours: Record<string, string> = { friday: '10:00 to 21:00', saturday: '10:00 to 18:00' };

/** A route that has nothing to do with passes. It stays as Nest and this app make it. */
@Controller('opening-hours')
export class OpeningHoursController {
  @Get(':day')
  of(@Param('day') day: string): { readonly open: string } {
    const open = hours[day];
    if (open === undefined) throw new NotFoundException('The museum is closed.');
    return { open };
  }
}
