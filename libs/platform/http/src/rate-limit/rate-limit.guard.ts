import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ACCESS,
  type Access,
  type AuthenticatedRequest,
  loggedError,
  RateLimited,
  rateLimitHeaders,
  type RatePolicy,
} from '@passwright/core';
import type { Request, Response } from 'express';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { HttpOptions } from '../http.options.js';
import { callerKey } from './caller-key.js';
import { LeasedLimit, type Standing } from './leased-limit.js';

const WINDOW_SECONDS = 60;

/**
 * Limits the requests per minute of each caller over all nodes. Put it after the guard that sets the principal. Skips
 * routes with `@Public({ unlimited: true })` or `countsItself`. Every limited response carries `RateLimit-Limit`,
 * `-Remaining`, `-Reset` (seconds) and `-Policy`. Limits no caller while the database is unreachable.
 * @throws RateLimited with `Retry-After`
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly logger = new Logger('RateLimit');
  private readonly policy: RatePolicy;
  private readonly counters: LeasedLimit | null;
  private failing = false;

  constructor(
    options: HttpOptions,
    dataSource: DataSource,
    private readonly reflector: Reflector,
  ) {
    const limit = options.requestsPerMinute;
    this.policy = { limit, windowSeconds: WINDOW_SECONDS };
    this.counters = limit === 0 ? null : new LeasedLimit(store(dataSource, limit), limit);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.counters === null || this.isUnlimited(context) || this.admit(context, this.counters);
  }

  private async admit(context: ExecutionContext, counters: LeasedLimit): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const standing = await this.count(counters, callerKey(request));
    if (!standing) return true;
    const resetSeconds = Math.ceil(standing.resetMs / 1000);
    const headers = rateLimitHeaders(this.policy, standing.remaining, resetSeconds);
    context.switchToHttp().getResponse<Response>().set(headers);
    if (standing.allowed) return true;
    throw new RateLimited(
      `More than ${this.policy.limit} requests in ${WINDOW_SECONDS} seconds; try again in ${resetSeconds}.`,
      resetSeconds,
    );
  }

  private isUnlimited(context: ExecutionContext): boolean {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    return access?.kind === 'public' && (access.unlimited === true || access.countsItself === true);
  }

  private async count(counters: LeasedLimit, caller: string): Promise<Standing | null> {
    try {
      const standing = await counters.take(caller);
      this.failing = false;
      return standing;
    } catch (error) {
      if (!this.failing) this.logger.warn(`No limits until the database responds: ${loggedError(error).message}`);
      this.failing = true;
      return null;
    }
  }
}

function store(dataSource: DataSource, points: number): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: dataSource,
    storeType: 'typeorm',
    tableName: 'rate_limit',
    tableCreated: true,
    keyPrefix: 'minute',
    points,
    duration: WINDOW_SECONDS,
    // Set no timers in the node, because a cron job deletes expired rows.
    clearExpiredByTimeout: false,
  });
}
