import { Clock } from '@passwright/core';
import type { HeldPass } from '../support/held-pass.js';
import type { ApiResponse, RunningService } from '../support/running-service.js';

/** An operation, an error that it declares, when the error occurs, and a request that causes it. */
export type ErrorCase = [operation: string, error: string, when: string, send: () => Promise<ApiResponse>];

interface Driven {
  readonly service: () => RunningService;
  readonly held: () => HeldPass;
}

const huge = { logs: ['x'.repeat(2 ** 16)] };
const longName = 'the device calls itself by more than 255 characters';

/** Returns the error cases of the PassKit web service alone. */
export function deviceErrorCases({ service, held }: Driven): ErrorCase[] {
  const phone = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    service().request(method, path, { headers: { ...held().headers, ...headers }, body });
  const registration = (device = 'phone') => {
    const { passTypeIdentifier, serialNumber } = held().parameters;
    return `/v1/devices/${device}/registrations/${passTypeIdentifier}/${serialNumber}`;
  };
  const latest = () => `/v1/passes/${held().parameters.passTypeIdentifier}/${held().parameters.serialNumber}`;
  const packed = (path: string, method = 'POST') => phone(method, path, {}, { 'Content-Encoding': 'zstd' });
  const unregistering = (body: object) => phone('DELETE', registration(), body);
  const late = (send: () => Promise<ApiResponse>) => () => expired(service(), send);
  const registering = (body: object) => phone('POST', registration(), body);
  return [
    ['registerDevice', '400 validation_failed', 'the push token is missing', () => registering({})],
    ['registerDevice', '413 payload_too_large', 'the body is over 4 KiB', () => registering(huge)],
    ['registerDevice', '415 unsupported_media_type', 'the encoding is not known', () => packed(registration())],
    ['unregisterDevice', '413 payload_too_large', 'the body is over 4 KiB', () => unregistering(huge)],
    [
      'unregisterDevice',
      '415 unsupported_media_type',
      'the encoding is unknown',
      () => packed(registration(), 'DELETE'),
    ],
    ['unregisterDevice', '400 validation_failed', longName, () => phone('DELETE', registration('x'.repeat(256)))],
    [
      'listUpdatedPasses',
      '400 validation_failed',
      longName,
      () => phone('GET', registration('x'.repeat(256)).replace(/\/[^/]+$/, '')),
    ],
    ['getLatestPass', '503 wallet_unavailable', 'the certificate has expired', late(() => phone('GET', latest()))],
    ['logFromDevice', '400 validation_failed', 'the lines are missing', () => phone('POST', '/v1/log', {})],
    ['logFromDevice', '413 payload_too_large', 'the body is over 64 KiB', () => phone('POST', '/v1/log', huge)],
    ['logFromDevice', '415 unsupported_media_type', 'the encoding is not known', () => packed('/v1/log')],
  ];
}

/** Sends a request at a time when every certificate has expired. */
export async function expired(service: RunningService, send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const clock = jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(new Date('2200-01-01T00:00:00Z'));
  const response = await send();
  clock.mockRestore();
  return response;
}
