import { timingSafeEqual, createHash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Settings } from '../settings.js';

const STAFF_ONLY = 'museum:staff-only';

/** Allows only requests that contain the key of the staff. */
export const StaffOnly = () => SetMetadata(STAFF_ONLY, true);

/** The app's own guard. It runs for all routes. */
@Injectable()
export class StaffGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly settings: Settings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.reflector.get<boolean | undefined>(STAFF_ONLY, context.getHandler())) return true;
    const { authorization = '' } = context.switchToHttp().getRequest<Request>().headers;
    if (timingSafeEqual(sha256(authorization), sha256(`Bearer ${this.settings.staffKey}`))) return true;
    throw new ForbiddenException('Only the staff may do this.');
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
