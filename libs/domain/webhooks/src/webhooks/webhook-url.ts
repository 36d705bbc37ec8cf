import { ValidationFailed } from '@passwright/core';
import { hostOf, isHostAllowed, isPlainlyPrivate, isWebPort } from '@passwright/http';

/**
 * Validates and normalises the address of a receiver. The IP address is checked again at each request.
 * @param hostsAllowed hosts that may have private addresses and may use http
 * @throws ValidationFailed
 */
export function webhookUrl(text: string, hostsAllowed: readonly string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw new ValidationFailed('url must be an https URL, such as https://crm.example.com/passes');
  }
  if (url.username !== '' || url.password !== '') {
    throw new ValidationFailed('url must be without a user name or password: deliveries are signed instead');
  }
  if (url.hash !== '') throw new ValidationFailed('url must be without a fragment (#…), which is never sent');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isHostAllowed(hostsAllowed, hostOf(url), port)) return url.href;
  if (isPlainlyPrivate(hostOf(url))) {
    throw new ValidationFailed(
      `url must lead to a public host: ${url.hostname} is private. To fetch events instead, leave url out`,
    );
  }
  if (url.protocol !== 'https:') throw new ValidationFailed('url must be an https URL: http would show what is sent');
  if (!isWebPort(port)) throw new ValidationFailed(`url must have port 443 or one from 1024 on, not ${port}`);
  return url.href;
}
