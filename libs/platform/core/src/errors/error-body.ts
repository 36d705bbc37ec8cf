import { STATUS_CODES } from 'node:http';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AppError, ErrorCode } from './app-error.js';

/** The body of every error response. `docUrl` is missing if the app has no page that explains its codes. */
export class ErrorBody {
  @ApiProperty({ type: 'integer', description: 'The HTTP status.', example: 400 })
  statusCode!: number;

  @ApiProperty({ type: String, description: 'Stable code that programs can rely on.', example: 'validation_failed' })
  code!: ErrorCode;

  @ApiProperty({ description: 'The HTTP reason phrase of the status.', example: 'Bad Request' })
  error!: string;

  @ApiProperty({ description: 'One sentence for people: what is wrong, where, and what would be right.' })
  message!: string;

  @ApiPropertyOptional({
    description: 'The page with the cause and fix of the code.',
    example: 'https://passes.example.com/guides/errors#validation_failed',
  })
  docUrl?: string;
}

/**
 * Returns the body of an error response. Replaces half a surrogate pair, which the cut of a long value in the message
 * may leave, because strict parsers reject JSON that contains one.
 * @param helpUrl the page that explains error codes; without it, the body has no `docUrl`
 */
export function errorBody(error: AppError, helpUrl?: string): ErrorBody {
  return {
    statusCode: error.statusCode,
    code: error.code,
    error: STATUS_CODES[error.statusCode] ?? 'Error',
    message: error.message.replaceAll(/\p{Cs}/gu, '\ufffd'),
    ...(helpUrl !== undefined && { docUrl: errorDocUrl(error.code, helpUrl) }),
  };
}

/** Returns the address of a code's section on the page that explains error codes. */
export function errorDocUrl(code: ErrorCode, helpUrl: string): string {
  return `${helpUrl}#${code}`;
}
