import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { randomId } from '@passwright/core';
import { Database } from '@passwright/database';
import { passLinks, type PassLinks, PassesOptions, PassesService } from '@passwright/passes';
import { TemplatesService } from '@passwright/templates';
import { Venue, Visitor } from './visitor.entity.js';

const VENUE = 'museum';
const TEMPLATE = 'visitor';

@Injectable()
export class VisitorsService implements OnApplicationBootstrap {
  private accountId = '';

  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsService,
    private readonly templates: TemplatesService,
    private readonly passes: PassesService,
    private readonly passesOptions: PassesOptions,
  ) {}

  /** Creates the account and the template of the passes. Does nothing if both exist. */
  async onApplicationBootstrap(): Promise<void> {
    this.accountId = await this.database.transaction(async (tx) => {
      await tx.query('LOCK TABLE venues');
      const known = await tx.findOneBy(Venue, { name: VENUE });
      if (known) return known.accountId;
      const { id } = await this.accounts.create(tx, { name: 'Museum' });
      await tx.insert(Venue, { name: VENUE, accountId: id });
      return id;
    });
    const { baseUrl } = this.passesOptions;
    await this.templates.upsert(
      this.accountId,
      TEMPLATE,
      {
        type: 'membership',
        title: 'Friend of the museum',
        issuerName: 'Museum',
        primaryLabel: 'Friend',
        foregroundColor: '#ffffff',
        backgroundColor: '#1f2a6b',
        // These images exist on every installation. Replace them with your own files, or with any public address.
        icon: `${baseUrl}/images/samples/icon.png`,
        logo: `${baseUrl}/images/samples/logo.png`,
        banner: `${baseUrl}/images/samples/banner.png`,
      },
      null,
    );
  }

  /** Stores the visitor and the pass together, or neither. */
  signUp(fullName: string): Promise<PassLinks> {
    return this.database.inOneTransaction(async (begin) => {
      const tx = await begin();
      const id = randomId();
      await tx.insert(Visitor, { id, fullName });
      await this.passes.create(this.accountId, TEMPLATE, { id, primaryValue: fullName });
      return passLinks(this.passesOptions.baseUrl, { accountId: this.accountId, templateId: TEMPLATE, passId: id });
    });
  }
}
