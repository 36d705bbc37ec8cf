import { Module } from '@nestjs/common';
import { NoticeLanguagesListener } from './notice-languages.listener.js';

/** Updates notices when templates get other languages. */
@Module({ providers: [NoticeLanguagesListener] })
export class NoticeLanguagesModule {}
