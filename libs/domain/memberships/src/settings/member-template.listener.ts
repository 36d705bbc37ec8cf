import { Injectable } from '@nestjs/common';
import { InvalidTransition, Listens } from '@passwright/core';
import { type Template, TemplateListener } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { canHaveMembers } from './member-template.js';
import { SettingsRepository } from './settings.repository.js';

/** Keeps the type of the template for new members' passes. */
@Injectable()
@Listens(TemplateListener)
export class MemberTemplateListener extends TemplateListener {
  constructor(private readonly settings: SettingsRepository) {
    super();
  }

  /** @throws InvalidTransition if the settings name the template, and its new type does not allow members' passes */
  override async typeChanged(tx: EntityManager, { accountId, id, type }: Template): Promise<void> {
    if (canHaveMembers(type) || !(await this.settings.nameTemplate(tx, accountId, id))) return;
    throw new InvalidTransition(
      `Template "${id}" cannot become one of type ${type}, because new members' passes are made from it; name another ` +
        'template first: PUT /v1/memberships/settings.',
    );
  }
}
