import { type Finding, type Installation, ok, warning } from './finding.js';

/** Checks that limits and logs use the real address of a client, instead of the proxy's or a forged one. */
export function proxyCheck({ config }: Installation): Finding[] {
  const { baseUrl } = config.server;
  const { trustProxy } = config.http;
  const isBehind = baseUrl.startsWith('https://');
  // The service itself speaks plain HTTP, so a proxy must handle TLS.
  if (isBehind && trustProxy === 0) {
    return [
      warning(
        'BASE_URL is https, so a proxy stands in front, but TRUST_PROXY is 0: all clients count as one, the proxy.',
        'Set TRUST_PROXY to the number of proxies in front (usually 1), and have them send X-Forwarded-For.',
      ),
    ];
  }
  if (!isBehind && trustProxy > 0) {
    return [
      warning(
        `TRUST_PROXY is ${trustProxy}, but BASE_URL is not https: without a proxy in front anybody may claim any address.`,
        'Set TRUST_PROXY=0 where clients reach the service themselves.',
      ),
    ];
  }
  return [
    ok(
      trustProxy === 0
        ? 'No proxy is expected in front of the service.'
        : `Client addresses come from ${trustProxy} proxies in front.`,
    ),
  ];
}
