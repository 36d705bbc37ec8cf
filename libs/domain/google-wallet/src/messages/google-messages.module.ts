import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { GoogleMessageEndings } from './google-message-endings.service.js';
import { GoogleQuietHours } from './google-quiet-hours.service.js';
import { GoogleTemplateListener } from './google-template.listener.js';
import { ObjectMessagesRepository } from './object-messages.repository.js';

const services = [GoogleQuietHours, GoogleMessageEndings, ObjectMessagesRepository];
const providers = [...services, GoogleTemplateListener];

/** Stores messages of objects, gets quiet hours from listeners, and reports the outcomes of messages to listeners. */
@Module({ imports: [DiscoveryModule], providers, exports: services })
export class GoogleMessagesModule {}
