import { PayloadTooLarge, UnsupportedMediaType, ValidationFailed } from '@passwright/core';

/** What the caller is told of a body that could not be read; body-parser's errors, by their documented types. */
export function bodyRefusal(error: unknown, maxBytes: number): Error {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return bodyTooLarge(maxBytes);
  if (type === 'encoding.unsupported') {
    return new UnsupportedMediaType('Content-Encoding must be gzip, deflate or br, or absent.');
  }
  if (type === 'request.aborted' || type === 'request.size.invalid') {
    return new ValidationFailed('the body ended before its Content-Length');
  }
  return status === 400
    ? new ValidationFailed('the body cannot be decompressed as its Content-Encoding says')
    : (error as Error);
}

export function bodyTooLarge(maxBytes: number): PayloadTooLarge {
  const size = maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 2 ** 10} KiB`;
  return new PayloadTooLarge(`The body is larger than ${size}, the most that this route takes.`);
}
