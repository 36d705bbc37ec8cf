import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { clientAddress, ConcurrencyLimiter, requestOrigin, withoutSlot } from '@passwright/core';
import { hash, verify, type Algorithm } from '@node-rs/argon2';
import { AccountsOptions } from '../accounts.options.js';

/** Argon2id with the first parameter set of OWASP's Password Storage Cheat Sheet; about 20 ms. */
const argon2id = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Hashes and checks passwords on the thread pool, a few at a time. Alternates between the callers' IP addresses, so
 * that one caller cannot block the others.
 */
@Injectable()
export class Passwords implements OnModuleInit {
  /**
   * Limits the checks to half of the cores, so that threads stay free to sign passes. Each check takes 19 MiB and a
   * thread.
   */
  private readonly limiter: ConcurrencyLimiter;
  private nobodysHash = '';

  constructor({ cores = availableParallelism() }: AccountsOptions) {
    this.limiter = new ConcurrencyLimiter({
      width: Math.max(1, Math.floor(cores / 2)),
      maxWaitingPerKey: 100,
      maxWaiting: 500,
      rejection: 'Too many people are logging in at this moment; try again in a few seconds.',
    });
  }

  async onModuleInit(): Promise<void> {
    this.nobodysHash = await hash(randomBytes(32), argon2id);
  }

  /** @returns a PHC string. @throws RateLimited if too many are waiting */
  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(composed(password), argon2id));
  }

  /**
   * Finds the stored hash and checks the password against it. Takes the same time without a stored hash.
   * @param find finds the user; runs once a thread is free
   * @returns the result of `find`; null if there is no user or the password is wrong.
   * @throws RateLimited, and anything that `find` throws
   */
  check<T extends { readonly passwordHash: string | null }>(
    password: string,
    find: () => Promise<T | null>,
  ): Promise<T | null> {
    return this.inTurn(async () => {
      const found = await find();
      const isRight = await verify(found?.passwordHash ?? this.nobodysHash, composed(password));
      return found?.passwordHash && isRight ? found : null;
    });
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const origin = requestOrigin();
    return withoutSlot(() => this.limiter.run(clientAddress(origin?.ip), work, origin?.gone));
  }
}

/**
 * Normalizes a password, because another system may send the same password in another Unicode form (NIST SP 800-63B
 * §5.1.1.2).
 */
function composed(password: string): string {
  return password.normalize('NFKC');
}
