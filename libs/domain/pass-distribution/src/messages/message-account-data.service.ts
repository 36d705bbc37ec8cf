import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountData } from '@passwright/accounts';

/** Registers the messages of an account for export and deletion. */
@Injectable()
export class MessageAccountDataService implements OnModuleInit {
  constructor(private readonly data: AccountData) {}

  onModuleInit(): void {
    this.data.add({
      floor: 24,
      steps: [
        { table: 'message_recipient', key: ['message_id', 'serial_number'] },
        { table: 'message', key: ['id'] },
        { table: 'message_settings', key: [] },
      ],
    });
  }
}
