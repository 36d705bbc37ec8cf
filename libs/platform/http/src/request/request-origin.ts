import { isIP } from 'node:net';
import {
  type Cancellation,
  inRequestOf,
  onClosed,
  userAgentOf,
  type Principal,
  type RequestOrigin,
  type RequestSlot,
} from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';
import { ClientDisconnect, disconnected } from './client-disconnect.js';
import { requestId } from './request-id.js';

/** The origin of a request. Computes rarely needed values on first use. */
class Origin implements RequestOrigin {
  readonly ip: string | undefined;
  principal?: Principal;
  share?: string;
  slot?: RequestSlot;
  private readonly program: string | undefined;
  private controller: AbortController | null = null;
  private disconnecting: ClientDisconnect | null = null;
  private isCutOff: boolean;

  /** References neither the request nor the response, because Node may keep the origin in memory for a long time. */
  constructor(
    request: Request,
    response: Response,
    readonly requestId: string,
  ) {
    // Check the address, because a proxy may forward a header that the caller has invented.
    this.ip = isIP(request.ip ?? '') ? request.ip : undefined;
    this.program = request.headers['user-agent'];
    this.isCutOff = response.closed && !response.writableFinished;
    onClosed(response, () => {
      if (!response.writableFinished) this.cutOff();
    });
  }

  get userAgent(): string | undefined {
    return userAgentOf(this.program);
  }

  get gone(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isCutOff) this.controller.abort(disconnected());
    return this.controller.signal;
  }

  get departure(): Cancellation {
    this.disconnecting ??= new ClientDisconnect();
    if (this.isCutOff) this.disconnecting.end();
    return this.disconnecting;
  }

  private cutOff(): void {
    this.isCutOff = true;
    this.controller?.abort(disconnected());
    this.disconnecting?.end();
  }
}

/** Makes all later work of this async context belong to the request. */
export function rememberOrigin(request: Request, response: Response, next: NextFunction): void {
  enterRequest(request, response, requestId(request, response), next);
}

/** Makes all later work of this async context belong to the request, under a given id. Sets no header. */
export function enterRequest(request: Request, response: Response, id: string, next: NextFunction): void {
  inRequestOf(new Origin(request, response, id), next);
}
