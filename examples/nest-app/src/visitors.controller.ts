import { Body, Controller, Post } from '@nestjs/common';
import { Public, Text, WireConventions } from '@passwright/core';
import type { PassLinks } from '@passwright/passes';
import { VisitorsService } from './visitors.service.js';

class SignUp {
  @Text({ description: 'The name on the pass.', max: 100, example: 'Ada Lovelace' })
  fullName!: string;
}

@WireConventions()
@Controller('visitors')
export class VisitorsController {
  constructor(private readonly visitors: VisitorsService) {}

  @Post()
  @Public()
  signUp(@Body() { fullName }: SignUp): Promise<PassLinks> {
    return this.visitors.signUp(fullName);
  }
}
