import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '@passwright/core';
import { McpOptions } from './mcp.options.js';

const PLAN_MS = 10 * 60_000;
/** The lifetime of a supervised key's plan. It is long, because a person must see the plan first. */
const SUPERVISED_PLAN_MS = 24 * 60 * 60_000;

/** A planned call: its caller, its exact input, and the state of the resource before the call. */
export interface Planned {
  readonly principal: Principal;
  readonly tool: string;
  readonly input: object;
  /** The entity tag of the resource to change. */
  readonly etag: string;
}

/** The reason why a token does not match its plan. */
export type PlanProblem = 'unknown' | 'expired' | 'changed';

/**
 * Issues and checks plan tokens. A token contains only a time and a keyed hash of the plan, so that any node can check
 * it.
 */
@Injectable()
export class PlanTokensService {
  constructor(
    private readonly options: McpOptions,
    private readonly clock: Clock,
  ) {}

  /** Returns the expiry time of a plan that is made now. */
  expiryOf({ principal }: Planned): Date {
    const lifetime = principal.supervised ? SUPERVISED_PLAN_MS : PLAN_MS;
    return new Date(this.clock.now().getTime() + lifetime);
  }

  make(planned: Planned, expiresAt = this.expiryOf(planned)): { planToken: string; expiresAt: string } {
    const time = expiresAt.getTime().toString(36);
    const parts = [this.mac(planned, time, ''), this.mac(planned, time, planned.etag)];
    return { planToken: `plan_${time}.${parts.join('.')}`, expiresAt: expiresAt.toISOString() };
  }

  /** Checks a token. @returns null if it belongs to this plan and nothing has changed since */
  problemOf(token: string, planned: Planned): PlanProblem | null {
    const [, time, plan, state] = /^plan_([0-9a-z]{1,12})\.([\w-]{43})\.([\w-]{43})$/.exec(token) ?? [];
    if (time === undefined || plan === undefined || state === undefined) return 'unknown';
    if (!isEqual(plan, this.mac(planned, time, ''))) return 'unknown';
    if (parseInt(time, 36) <= this.clock.now().getTime()) return 'expired';
    return isEqual(state, this.mac(planned, time, planned.etag)) ? null : 'changed';
  }

  /** Returns the hash of the exact call and of the state before it. */
  callHash(planned: Planned): Buffer {
    return Buffer.from(this.mac(planned, 'call', planned.etag), 'base64url');
  }

  private mac({ principal, tool, input }: Planned, time: string, etag: string): string {
    const { kind, id, accountId } = principal;
    const text = JSON.stringify(['mcp plan', kind, id, accountId, tool, sorted(input), time, etag]);
    return createHmac('sha256', this.options.planSecret).update(text).digest('base64url');
  }
}

/**
 * Sorts properties, so that their order does not change the hash. Converts each object to a list of its properties, and
 * marks real lists, so that the two get different hashes.
 */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value.map(sorted) };
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, one]) => [key, sorted(one)]);
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
