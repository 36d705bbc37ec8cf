import { Controller, Get, Header, NotFoundException, Param } from '@nestjs/common';

const hours: Record<string, string> = { friday: '10:00 to 21:00', saturday: '10:00 to 18:00' };

@Controller('opening-hours')
export class OpeningHoursController {
  @Get()
  @Header('Content-Type', 'text/html')
  page(): string {
    const rows = Object.entries(hours).map(([day, open]) => `<li>${day}: ${open}</li>`);
    return `<!doctype html><title>Opening hours</title><ul>${rows.join('')}</ul>`;
  }

  @Get(':day')
  of(@Param('day') day: string): { readonly open: string } {
    const open = hours[day];
    if (open === undefined) throw new NotFoundException('The museum is closed.');
    return { open };
  }
}
