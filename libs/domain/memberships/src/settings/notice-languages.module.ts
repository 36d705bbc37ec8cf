import { Module } from '@nestjs/common';
import { NoticeLanguagesListener } from './notice-languages.listener.js';

/** Updates notices after the languages of a template have changed. */
@Module({ providers: [NoticeLanguagesListener] })
export class NoticeLanguagesModule {}
