import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type ChangeNotice, silentReasons } from '@passwright/wallet-renderers';
import {
  type AppleNotice,
  type ChangeNotices,
  type GoogleNotice,
  type SilentNotice,
  walletReasons,
} from './change-notices.js';

const translationsDoc = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description:
    'The text in the other languages of the template and the pass; absent without translations. Phones show the ' +
    'language of their holder.',
  example: { de: 'Punkte: 120' },
} as const;

class Notification {
  @ApiProperty({
    description: 'The key of the field; `_primary` is the primary value.',
    example: 'points',
  })
  key!: string;

  @ApiProperty({ description: 'The text on the lock screen.', example: 'Points: 120' })
  message!: string;

  @ApiPropertyOptional(translationsDoc)
  translations?: ChangeNotice['translations'];

  @ApiProperty({
    enum: ['notification', 'nowhere'],
    description: '`notification`: on the lock screen of devices that have a changed pass.',
  })
  shown!: AppleNotice['shown'];

  @ApiProperty({
    enum: ['not_installed', null],
    type: String,
    nullable: true,
    description: '`not_installed`: no device has a changed pass.',
  })
  reason!: AppleNotice['reason'];
}

class MessageNotification {
  @ApiProperty({
    description: 'The key of the field; `_primary` is the primary value.',
    example: 'points',
  })
  key!: string;

  @ApiProperty({ description: 'The text of the message.', example: 'Points: 120' })
  message!: string;

  @ApiPropertyOptional(translationsDoc)
  translations?: ChangeNotice['translations'];

  @ApiProperty({
    enum: ['notification', 'pass', 'nowhere'],
    description:
      '`notification`: in a notification and on the pass. `pass`: on the pass only. `nowhere`: the change ' +
      'undoes an unsent change, so holders see no difference.',
  })
  shown!: GoogleNotice['shown'];

  @ApiProperty({
    enum: ['quiet_hours', 'daily_limit', 'undone', null],
    type: String,
    nullable: true,
    description:
      'Why there is no notification, or none yet. `quiet_hours`: the account has quiet hours now. ' +
      '`daily_limit`: Google allows three per pass in 24 hours. `undone`: the change undoes an unsent change.',
  })
  reason!: GoogleNotice['reason'];

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'The end of the quiet hours, when the phone announces the message. Null without `quiet_hours`.',
  })
  notifiesAt!: string | null;
}

const walletNames = { apple: 'walletA', google: 'walletB' } as const;

class SilentNotification {
  @ApiProperty({ description: 'The key of the field.', example: 'points' })
  key!: string;

  @ApiProperty({ enum: ['walletA', 'walletB'], isArray: true, description: 'The wallets that show no notification.' })
  wallets!: readonly ('walletA' | 'walletB')[];

  @ApiProperty({
    enum: [...silentReasons, ...walletReasons],
    description:
      '`silent_field`: its change message is empty. `new_field`, `removed_field`: wallets announce only changed values. ' +
      '`pass_state`: the pass is void, used or expired. `not_installed`: no holder has opened the Google link. ' +
      '`announced_by_google`: Google announces this detail of an event ticket in its own words. ' +
      '`quiet_hours`: Google announces nothing in quiet hours.',
  })
  reason!: SilentNotice['reason'];
}

/** The texts with which each wallet announces a change, and the changed fields that a wallet does not announce. */
export class Notifications {
  @ApiProperty({ type: () => Notification, isArray: true, description: 'The text that Apple Wallet shows.' })
  walletA!: readonly Notification[];

  @ApiProperty({
    type: () => MessageNotification,
    isArray: true,
    description:
      'The text that Google Wallet shows in a message. Empty for a silent change, and if no holder has opened the ' +
      'Google link of the pass. ' +
      'Several changes within seconds become one message with the newest text.',
  })
  walletB!: readonly MessageNotification[];

  @ApiProperty({
    type: () => SilentNotification,
    isArray: true,
    description: 'Changed front fields that `walletA` or `walletB` does not list.',
  })
  silent!: readonly SilentNotification[];
}

export function toNotifications({ apple, google, silent }: ChangeNotices): Notifications {
  return {
    walletA: apple,
    walletB: google,
    silent: silent.map(({ key, reason, wallets }) => ({
      key,
      reason,
      wallets: wallets.map((one) => walletNames[one]),
    })),
  };
}
