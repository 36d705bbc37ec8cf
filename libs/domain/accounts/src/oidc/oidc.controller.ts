import type { IncomingMessage, ServerResponse } from 'node:http';
import { applyDecorators, Body, Controller, Get, HttpCode, Ip, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiConsumes,
  ApiExtraModels,
  ApiFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import {
  ApiErrors,
  Forbidden,
  LimitExceeded,
  MalformedJson,
  NotFound,
  Public,
  SecretAnswer,
  Unauthorized,
  ValidationFailed,
} from '@passwright/core';
import { TokensResponse } from '../auth/auth.dto.js';
import { InviteExpired, InviteNotFound } from '../invites/invites.errors.js';
import { SignInCodeRequest, SignInQuery } from './oidc.dto.js';
import { IdentityProviderUnavailable } from './oidc.errors.js';
import { TakesForm } from '../pages/page-api.decorators.js';
import { formOf, sendPage } from '../pages/page-answer.js';
import { OidcSignInService, type SignInOutcome } from './oidc-sign-in.service.js';

const ApiSignedIn = () =>
  applyDecorators(
    ApiExtraModels(TokensResponse),
    ApiOkResponse({
      description: 'Signed in, for a sign-in that began without `returnTo`; or a page that asks the person first.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(TokensResponse) } },
        'text/html': { schema: { type: 'string' } },
      },
    }),
  );

@ApiTags('auth')
@Controller('v1/auth/oidc')
export class OidcController {
  constructor(private readonly signIns: OidcSignInService) {}

  @Get('start')
  @Public()
  @ApiOperation({
    operationId: 'startSignIn',
    summary: 'Sign in at the identity provider',
    description:
      'Send the browser here: it is redirected to the OpenID Connect provider of the operator, and comes back signed in. ' +
      '404 where the operator has set up none.',
  })
  @ApiFoundResponse({ description: 'To the provider.' })
  @ApiErrors(ValidationFailed, NotFound, IdentityProviderUnavailable)
  async start(@Query() query: SignInQuery, @Res() response: ServerResponse): Promise<void> {
    const { address, cookie } = await this.signIns.begin(query);
    response.writeHead(302, { Location: address, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }).end();
  }

  @Get('callback')
  @Public()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'completeSignIn',
    summary: 'Come back from the identity provider',
    description:
      'The redirect URI to register at the provider. Only the browser that began the sign-in can end it. It is signed in ' +
      'as the user whom the identity was linked to, or who has the e-mail address that the provider has verified. What ' +
      'changes anything (an invitation, a link to a user, a new user) is done only after a click on a page that says so.',
  })
  @ApiQuery({ name: 'code', required: false, description: 'From the provider.' })
  @ApiQuery({ name: 'state', required: false, description: 'As it was sent to the provider.' })
  @ApiSignedIn()
  @ApiFoundResponse({ description: 'To `returnTo`, with `#code=…` or with `#error=…&message=…`.' })
  @ApiErrors(ValidationFailed, Unauthorized, Forbidden, LimitExceeded, NotFound, IdentityProviderUnavailable)
  @ApiErrors(InviteNotFound, InviteExpired)
  async callback(
    @Req() { url = '', headers }: IncomingMessage,
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<TokensResponse | string | undefined> {
    const search = new URL(url, 'http://localhost').searchParams;
    const { attempt, noCookie } = this.signIns.resume(search, headers.cookie);
    response.setHeader('Set-Cookie', noCookie);
    return send(response, await this.signIns.complete(search, attempt, ip), 302);
  }

  @Post('confirm')
  @Public()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'confirmSignIn',
    summary: 'Agree to what a sign-in changes',
    description:
      'What the button of the page sends that the callback has answered with. Only the browser that was shown the page can ' +
      'send it, once, within ten minutes.',
  })
  @ApiConsumes('application/x-www-form-urlencoded')
  @TakesForm({ token: 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw' })
  @ApiSignedIn()
  @ApiResponse({ status: 303, description: 'To `returnTo`, with `#code=…` or with `#error=…&message=…`.' })
  @ApiErrors(Unauthorized, Forbidden, LimitExceeded, NotFound, InviteNotFound, InviteExpired)
  async confirm(
    @Req() { headers, body }: IncomingMessage & { readonly body: unknown },
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<TokensResponse | string | undefined> {
    const { pending, noCookie } = this.signIns.resumeConsent(formOf(body).get('token'), headers.cookie);
    response.setHeader('Set-Cookie', noCookie);
    return send(response, await this.signIns.confirm(pending, ip), 303);
  }

  @Post('token')
  @HttpCode(200)
  @Public()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'redeemSignInCode',
    summary: "Exchange a sign-in's code for tokens",
    description: 'The code is in the fragment that `returnTo` was called with. It works once, within a minute.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson, Unauthorized, NotFound)
  token(@Body() { code }: SignInCodeRequest, @Ip() ip: string | undefined): Promise<TokensResponse> {
    return this.signIns.redeem(code, ip);
  }
}

function send(
  response: ServerResponse,
  outcome: SignInOutcome,
  redirect: 302 | 303,
): TokensResponse | string | undefined {
  if ('page' in outcome) {
    response.setHeader('Set-Cookie', [response.getHeader('Set-Cookie'), outcome.cookie].flat().map(String));
    return sendPage(response, outcome.page);
  }
  if (!('address' in outcome)) return outcome;
  response.statusCode = redirect;
  response.setHeader('Location', outcome.address);
  return undefined;
}
