import { createHmac } from 'node:crypto';
import type { AppConfig } from './config.js';

/** Returns the settings that all nodes must share, by variable. Secrets are hashed, because the database stores them. */
export function nodeSettings({ accounts, server }: Pick<AppConfig, 'accounts' | 'server'>): Record<string, string> {
  const { accessTokenSecret } = accounts;
  return {
    ACCESS_TOKEN_SECRET: createHmac('sha256', accessTokenSecret)
      .update('node settings')
      .digest('base64url')
      .slice(0, 16),
    BASE_URL: server.baseUrl,
  };
}
