import type { IncomingHttpHeaders } from 'node:http2';

const MAX_PAYLOAD_BYTES = 4096;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PUSH_TYPES = new Set(
  [
    'alert',
    'background',
    'location',
    'voip',
    'complication',
    'fileprovider',
    'mdm',
    'liveactivity',
    'pushtotalk',
  ].concat(['controls', 'widgets']),
);

/** A response of the push service. */
export interface ApnsResponse {
  readonly status: number;
  /** Set for every response except 200. */
  readonly reason?: string;
  /** The time in milliseconds at which the token became invalid, for a 410. Default: now. */
  readonly timestamp?: number;
  /** The seconds in the header `retry-after`. */
  readonly retryAfter?: number;
  /** A body that replaces Apple's JSON, as if a proxy had sent it. */
  readonly body?: string;
}

/** The client of a connection, as its certificate identifies it. */
export interface ApnsClient {
  /** The UID in the client certificate's subject; null without a certificate. */
  readonly certificateUid: string | null;
  /** True if the trusted authority issued the certificate, and it is valid now. */
  readonly trusted: boolean;
}

const accepted: ApnsResponse = { status: 200 };
const rejected = (status: number, reason: string): ApnsResponse => ({ status, reason });

/** Returns the token in a request's path; empty if there is none. */
export function tokenOf(headers: IncomingHttpHeaders): string {
  return /^\/3\/device\/([^/?#]*)$/.exec(headers[':path'] ?? '')?.[1] ?? '';
}

/**
 * Returns the response to a request by Apple's published rules for pushes to passes.
 * @see https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
 */
export function judge(headers: IncomingHttpHeaders, body: Buffer, client: ApnsClient): ApnsResponse {
  return requestError(headers) ?? clientError(headers, client) ?? headerProblem(headers) ?? bodyError(body) ?? accepted;
}

function requestError(headers: IncomingHttpHeaders): ApnsResponse | null {
  if (!(headers[':path'] ?? '').startsWith('/3/device/')) return rejected(404, 'BadPath');
  if (headers[':method'] !== 'POST') return rejected(405, 'MethodNotAllowed');
  if (headers[':path'] === '/3/device/') return rejected(400, 'MissingDeviceToken');
  const token = tokenOf(headers);
  if (!token) return rejected(404, 'BadPath');
  // Accept any even length, because Apple may change the length of tokens.
  return /^([0-9a-f]{2})+$/i.test(token) ? null : rejected(400, 'BadDeviceToken');
}

function clientError(headers: IncomingHttpHeaders, client: ApnsClient): ApnsResponse | null {
  if (client.certificateUid === null) return rejected(403, 'MissingProviderToken');
  if (!client.trusted) return rejected(403, 'BadCertificate');
  // The header may be missing if the certificate is for a single topic.
  const topic = headers['apns-topic'];
  return topic === undefined || topic === client.certificateUid ? null : rejected(400, 'TopicDisallowed');
}

function headerProblem(headers: IncomingHttpHeaders): ApnsResponse | null {
  const text = (name: string) => (headers[name] === undefined ? null : String(headers[name]));
  const [id, type, priority] = [text('apns-id'), text('apns-push-type'), text('apns-priority')];
  if (id !== null && !UUID.test(id)) return rejected(400, 'BadMessageId');
  if (type !== null && !PUSH_TYPES.has(type)) return rejected(400, 'InvalidPushType');
  const priorities = type === 'background' ? ['1', '5'] : ['1', '5', '10'];
  if (priority !== null && !priorities.includes(priority)) return rejected(400, 'BadPriority');
  if (!/^\d{1,15}$/.test(text('apns-expiration') ?? '0')) return rejected(400, 'BadExpirationDate');
  if ((text('apns-collapse-id') ?? '').length > 64) return rejected(400, 'BadCollapseId');
  return null;
}

function bodyError(body: Buffer): ApnsResponse | null {
  if (body.length > MAX_PAYLOAD_BYTES) return rejected(413, 'PayloadTooLarge');
  return isJsonObject(body.toString('utf8')) ? null : rejected(400, 'PayloadEmpty');
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
