import { Module } from '@nestjs/common';
import { MemberTemplateListener } from './member-template.listener.js';
import { NoticeLanguagesListener } from './notice-languages.listener.js';
import { SettingsRepository } from './settings.repository.js';

/** Keeps the settings and the notices in step with changes of templates. */
@Module({
  providers: [SettingsRepository, MemberTemplateListener, NoticeLanguagesListener],
  exports: [SettingsRepository],
})
export class TemplateListenersModule {}
