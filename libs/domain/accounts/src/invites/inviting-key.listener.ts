import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { ApiKeyListener } from '../api-keys/api-key.listener.js';
import { InvitesService } from './invites.service.js';

/** Revokes the open invitations that a revoked API key has sent. */
@Listens(ApiKeyListener)
@Injectable()
export class InvitingKeyListener extends ApiKeyListener {
  constructor(private readonly invites: InvitesService) {
    super();
  }

  keyRevoked(tx: EntityManager, accountId: string, keyId: string): Promise<void> {
    return this.invites.revokeAllBy(tx, accountId, keyId);
  }
}
