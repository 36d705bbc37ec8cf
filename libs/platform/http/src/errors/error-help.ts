import { errorDocUrl, type ErrorCode } from '@passwright/core';
import type { Response } from 'express';

/** Links an error response to the explanation of its code, as in RFC 8288: `Link: <…#pass_exists>; rel="help"`. */
export function linkToHelp(response: Response, code: ErrorCode, helpUrl: string | undefined): void {
  if (helpUrl !== undefined) response.append('Link', `<${errorDocUrl(code, helpUrl)}>; rel="help"`);
}
