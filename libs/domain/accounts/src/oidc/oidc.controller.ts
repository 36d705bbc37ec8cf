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
  SecretResponse,
  Unauthorized,
  ValidationFailed,
} from '@passwright/core';
import { TokensResponse } from '../auth/auth.dto.js';
import { InviteExpired, InviteNotFound } from '../invites/invites.errors.js';
import { SignInCodeRequest, SignInQuery } from './oidc.dto.js';
import { IdentityProviderUnavailable } from './oidc.errors.js';
import { TakesForm } from '../pages/page-api.decorators.js';
import { formOf, sendPage } from '../pages/page-response.js';
import { OidcSignInService, type SignInOutcome } from './oidc-sign-in.service.js';
import { isForPerson } from './signed-in-page.js';

const ApiSignedIn = () =>
  applyDecorators(
    ApiExtraModels(TokensResponse),
    ApiOkResponse({
      description: 'A browser gets a page. A program gets the tokens if the sign-in began without `returnTo`.',
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
    summary: 'Sign in through the identity provider',
    description:
      'Open this address in the browser. It redirects to the operator’s OpenID Connect provider, which sends the ' +
      'browser back signed in. 404 if the operator has not configured a provider.',
  })
  @ApiFoundResponse({ description: 'Redirects to the provider.' })
  @ApiErrors(ValidationFailed, NotFound, IdentityProviderUnavailable)
  async start(@Query() query: SignInQuery, @Res() response: ServerResponse): Promise<void> {
    const { address, cookie } = await this.signIns.begin(query);
    response.writeHead(302, { Location: address, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }).end();
  }

  @Get('callback')
  @Public()
  @SecretResponse()
  @ApiOperation({
    operationId: 'completeSignIn',
    summary: 'Handle the identity provider callback',
    description:
      'Register this redirect URI at the provider. Only the browser that began the sign-in can complete it. ' +
      'Accepting an invitation, linking a user or creating a user needs a click on a page that the callback ' +
      'shows.',
  })
  @ApiQuery({ name: 'code', required: false, description: 'Sent by the provider.' })
  @ApiQuery({ name: 'state', required: false, description: 'The value that was sent to the provider.' })
  @ApiSignedIn()
  @ApiFoundResponse({ description: 'Redirects to `returnTo` with `#code=…` or `#error=…&message=…`.' })
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
    const caller = { ip, isPerson: isForPerson(headers) };
    return send(response, await this.signIns.complete(search, attempt, caller), 302);
  }

  @Post('confirm')
  @Public()
  @SecretResponse()
  @ApiOperation({
    operationId: 'confirmSignIn',
    summary: 'Confirm the changes of a sign-in',
    description:
      'The button on the callback’s page sends this request. Only the browser that was shown the page can send ' +
      'it, once, within ten minutes.',
  })
  @ApiConsumes('application/x-www-form-urlencoded')
  @TakesForm({ token: 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw' })
  @ApiSignedIn()
  @ApiResponse({ status: 303, description: 'Redirects to `returnTo` with `#code=…` or `#error=…&message=…`.' })
  @ApiErrors(Unauthorized, Forbidden, LimitExceeded, NotFound, InviteNotFound, InviteExpired)
  async confirm(
    @Req() { headers, body }: IncomingMessage & { readonly body: unknown },
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<TokensResponse | string | undefined> {
    const { pending, noCookie } = this.signIns.resumeConsent(formOf(body).get('token'), headers.cookie);
    response.setHeader('Set-Cookie', noCookie);
    const caller = { ip, isPerson: isForPerson(headers) };
    return send(response, await this.signIns.confirm(pending, caller), 303);
  }

  @Post('token')
  @HttpCode(200)
  @Public()
  @SecretResponse()
  @ApiOperation({
    operationId: 'redeemSignInCode',
    summary: 'Exchange a sign-in code for tokens',
    description: 'Takes the code from the fragment of `returnTo`. It works once, within a minute.',
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
    const cookies = [response.getHeader('Set-Cookie'), outcome.cookie].flat().filter((cookie) => cookie !== undefined);
    response.setHeader('Set-Cookie', cookies.map(String));
    return sendPage(response, outcome.page);
  }
  if (!('address' in outcome)) return outcome;
  response.statusCode = redirect;
  response.setHeader('Location', outcome.address);
  return undefined;
}
