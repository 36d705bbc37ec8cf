import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GoogleQuota } from '@passwright/core';
import { GoogleQuotaRow } from './google-quota.entity.js';
import { GoogleQuotaRepository } from './google-quota.repository.js';

/** Shares Google's quota of requests among all nodes. */
@Module({
  imports: [TypeOrmModule.forFeature([GoogleQuotaRow])],
  providers: [{ provide: GoogleQuota, useClass: GoogleQuotaRepository }],
  exports: [GoogleQuota],
})
export class GoogleQuotaModule {}
