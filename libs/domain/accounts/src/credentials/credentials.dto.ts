import { Text } from '@passwright/core';
import { Email } from '../users/email.js';
import { userCodeForm } from './user-codes.js';

const codeExample = 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw';
const newPassword = { min: 8, max: 200, description: '8 to 200 characters on one line.' };

/** The length limits of a new password, for forms. */
export const passwordLength = { min: newPassword.min, max: newPassword.max };

const code = {
  max: 43,
  pattern: userCodeForm,
  patternHint: 'the code in the link of the e-mail: 43 letters, digits, - and _',
};

/** Request body for a password reset mail. */
export class ForgotPasswordRequest {
  @Email({ description: "The user's e-mail, in upper or lower case.", example: 'mary@example.com' })
  email!: string;
}

/** Request body that sets a new password. */
export class ResetPasswordRequest {
  @Text({ ...code, description: 'The code from the link in the e-mail.', example: codeExample })
  code!: string;

  @Text({ ...newPassword, example: 'correct horse battery staple' })
  password!: string;
}

/** Request body that changes the password. */
export class ChangePasswordRequest {
  @Text({ max: 200, description: 'The current password.', example: 'correct horse battery staple' })
  currentPassword!: string;

  @Text({ ...newPassword, example: 'a cat walked over my keyboard' })
  newPassword!: string;
}

/** Request body that changes the e-mail. */
export class ChangeEmailRequest {
  @Email({ description: 'The new e-mail, which the user must confirm.', example: 'mary.somerville@example.com' })
  email!: string;

  @Text({ max: 200, description: "The user's password.", example: 'correct horse battery staple' })
  password!: string;
}

/** Request body that confirms a new e-mail. */
export class ConfirmEmailRequest {
  @Text({ ...code, description: 'The code from the link in the e-mail.', example: codeExample })
  code!: string;
}
