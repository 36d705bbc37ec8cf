import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  type Page,
  PageQuery,
  type Principal,
  RequireScope,
  ValidationFailed,
} from '@passwright/core';
import { UsageDaysService } from './usage-days.service.js';
import { UsageDayResponse, UsageMonthResponse } from './usage-history.dto.js';
import { UsageHistoryService } from './usage-history.service.js';

@ApiTags('accounts')
@Controller('v1/account/usage')
export class UsageHistoryController {
  constructor(
    private readonly history: UsageHistoryService,
    private readonly byDay: UsageDaysService,
  ) {}

  @Get()
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'listUsage',
    summary: 'List the usage by month',
    description:
      'Lists for each calendar month (UTC) how many passes were created and how many were active, current ' +
      'month first. The `usage` of the account counts by billing period instead.',
  })
  @ApiPage(UsageMonthResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() { accountId }: Principal, @Query() query: PageQuery): Promise<Page<UsageMonthResponse>> {
    return this.history.list(accountId, query);
  }

  @Get('days')
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'listUsageDays',
    summary: 'List the usage by day',
    description:
      'Lists for each day (UTC) how many passes were created, redeemed and added to wallets, current day ' +
      'first. Events shortly before midnight may count towards the next day.',
  })
  @ApiPage(UsageDayResponse)
  @ApiErrors(ValidationFailed)
  listDays(@Caller() { accountId }: Principal, @Query() query: PageQuery): Promise<Page<UsageDayResponse>> {
    return this.byDay.list(accountId, query);
  }
}
