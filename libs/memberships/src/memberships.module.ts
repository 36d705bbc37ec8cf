import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { Member } from './members/member.entity.js';
import { MembershipsOptions } from './memberships.options.js';
import { MembershipSettings } from './settings/membership-settings.entity.js';

/** Memberships that run themselves. Needs `PassesModule`, `TemplatesModule`, `AccountsModule`, `Database`, `Jobs`, `Mailer` and `Clock`. */
@Module({
  imports: [TypeOrmModule.forFeature([Member, MembershipSettings])],
  providers: [],
  exports: [],
})
export class MembershipsModule extends rootModule(MembershipsOptions, []) {}
