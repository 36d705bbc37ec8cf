import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { RecordingMailer } from '@passwright/testing';
import { webhooksNode } from './deliveries.fixtures.js';
import { WebhookSenderService } from './webhook-sender.service.js';

/**
 * Runs in a child process with the addresses of a database and a receiver. Crashes when it sends the event with the id
 * `deadly`.
 */
async function main(url = '', receiver = '', deadly = ''): Promise<void> {
  const { post } = WebhookSenderService.prototype;
  WebhookSenderService.prototype.post = function (...call) {
    if (call[1].id === deadly) process.kill(process.pid, 'SIGKILL');
    return post.apply(this, call);
  };
  const imports = webhooksNode({ url, abandonedAfterMs: 1500 }, receiver, new RecordingMailer());
  await NestFactory.createApplicationContext({ module: class App {}, imports }, { logger: false });
}

void main(...process.argv.slice(2));
