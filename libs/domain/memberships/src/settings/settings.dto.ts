import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ListOf, Tagged, Text, TimeZone, versionSuffix } from '@passwright/core';
import { IsInt, Max, Min } from 'class-validator';
import type { MembershipSettings } from './membership-settings.entity.js';

const maxReminders = 10;
export const defaultNoticeLabel = 'Membership';
const clearable = { optional: true, nullable: true };

/** One reminder, in requests and responses. */
@ApiSchema({ name: 'Reminder' })
export class ReminderDto {
  @Text({
    description: 'The key of the reminder in `remindersSent`.',
    example: 'month',
    max: 64,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    patternHint: 'letters, digits, ".", "_" and "-", beginning with a letter or digit',
  })
  key!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 365,
    example: 30,
    description: 'Calendar days before the expiry, at the time of day of the expiry in the time zone of the settings.',
  })
  @IsInt()
  @Min(1)
  @Max(365)
  daysBefore!: number;
}

/** Request body of the settings. Omitted properties get their defaults. */
export class MembershipSettingsRequest {
  @Text({
    description: 'The template for passes of new members, of type membership or generic. Existing members keep theirs.',
    example: 'membership',
    max: 64,
  })
  templateId!: string;

  @ListOf(() => ReminderDto, {
    description:
      'At most 10 reminders, each with its own key and number of days. A reminder is an e-mail ' +
      'and, on phones that hold the pass, a notification.',
    example: [
      { key: 'month', daysBefore: 30 },
      { key: 'week', daysBefore: 7 },
    ],
    max: maxReminders,
  })
  reminders!: ReminderDto[];

  @Text({
    description: 'The IANA time zone for counting days and formatting dates. Default: UTC.',
    example: 'Europe/Berlin',
    max: 64,
    optional: true,
  })
  @TimeZone()
  timeZone?: string | null;

  @Text({
    description:
      'Label of the front field `membership`, which shows when the membership ends. Null: no such field. ' +
      `Default: ${defaultNoticeLabel}.`,
    example: defaultNoticeLabel,
    max: 64,
    ...clearable,
  })
  noticeLabel?: string | null;
}

/** The membership settings of an account. */
export class MembershipSettingsResponse {
  @ApiProperty({ example: 'membership' })
  templateId!: string;

  @ApiProperty({
    type: () => ReminderDto,
    isArray: true,
    maxItems: maxReminders,
    description: 'The reminders, earliest first.',
  })
  reminders!: readonly ReminderDto[];

  @ApiProperty({ example: 'Europe/Berlin' })
  timeZone!: string;

  @ApiProperty({ type: String, nullable: true, example: defaultNoticeLabel })
  noticeLabel!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-05-20T10:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', example: '2026-05-20T10:00:00.000Z' })
  updatedAt!: string;
}

export function settingsTag({ version }: MembershipSettings): string {
  return `"${version}${versionSuffix()}"`;
}

export function taggedSettings(settings: MembershipSettings): Tagged<MembershipSettingsResponse> {
  const { templateId, reminders, timeZone, noticeLabel, createdAt, updatedAt } = settings;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return new Tagged({ templateId, reminders, timeZone, noticeLabel, ...times }, settingsTag(settings));
}
