import { STATUS_CODES } from 'node:http';
import { ApiProperty } from '@nestjs/swagger';
import type { AppError, ErrorCode } from './app-error.js';

/** The body of every error response, always with these four properties. */
export class ErrorBody {
  @ApiProperty({ type: 'integer', description: 'The HTTP status.', example: 400 })
  statusCode!: number;

  @ApiProperty({ type: String, description: 'Stable code that programs can rely on.', example: 'validation_failed' })
  code!: ErrorCode;

  @ApiProperty({ description: 'The HTTP reason phrase of the status.', example: 'Bad Request' })
  error!: string;

  @ApiProperty({ description: 'One sentence for people: what is wrong, where, and what would be right.' })
  message!: string;
}

export function errorBody(error: AppError): ErrorBody {
  return {
    statusCode: error.statusCode,
    code: error.code,
    error: STATUS_CODES[error.statusCode] ?? 'Error',
    message: error.message,
  };
}
