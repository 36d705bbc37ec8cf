import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Nested, Text, TimeZone } from '@passwright/core';
import type { MessageSettings } from './message-settings.entity.js';
import type { QuietHours } from './quiet-hours.js';

const localTime = {
  pattern: /^(?:[01]\d|2[0-3]):[0-5]\d$/,
  patternHint: 'a time of day from 00:00 to 23:59, such as 22:00',
  max: 5,
};

/** The hours in which no message is sent. */
@ApiSchema({ name: 'QuietHours' })
export class QuietHoursDto {
  @Text({ ...localTime, description: 'The local time at which the quiet hours begin.', example: '22:00' })
  from!: string;

  @Text({
    ...localTime,
    description: 'The local time at which the quiet hours end, on the next day if it is not later than `from`.',
    example: '08:00',
  })
  until!: string;
}

/** Request body of the settings. Omitted properties get their defaults. */
export class MessageSettingsRequest {
  @Text({
    description: 'The IANA time zone of the quiet hours. Default: UTC.',
    example: 'Europe/Berlin',
    max: 64,
    optional: true,
  })
  @TimeZone()
  timeZone?: string | null;

  @Nested(() => QuietHoursDto, {
    description:
      'Messages that are due in these hours wait until the hours end, unless they are `urgent`. Google Wallet notifies ' +
      'no holder during these hours. Default: none.',
    optional: true,
  })
  quietHours?: QuietHoursDto | null;
}

/** The settings of an account's messages. */
export class MessageSettingsResponse {
  @ApiProperty({ example: 'Europe/Berlin' })
  timeZone!: string;

  @ApiProperty({ type: () => QuietHoursDto, nullable: true })
  quietHours!: QuietHoursDto | null;
}

/** @param settings null if the account has no settings of its own */
export function toMessageSettingsResponse(settings: MessageSettings | null): MessageSettingsResponse {
  if (!settings) return { timeZone: 'UTC', quietHours: null };
  const { timeZone, quietFrom, quietUntil } = settings;
  return { timeZone, quietHours: quietFrom && quietUntil ? { from: quietFrom, until: quietUntil } : null };
}

/** Returns the quiet hours of settings; null if there are none. */
export function quietHoursOf(settings: MessageSettings | null): QuietHours | null {
  if (!settings?.quietFrom || !settings.quietUntil) return null;
  const { timeZone, quietFrom, quietUntil } = settings;
  return { timeZone, from: minutesOf(quietFrom), until: minutesOf(quietUntil) };
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
