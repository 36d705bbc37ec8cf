import { Text } from '@passwright/core';
import { Email } from '../users/email.js';
import { userCodeForm } from './user-code-form.js';

const codeExample = 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw';
const newPassword = { min: 8, max: 200, description: '8 to 200 characters, any on one line.' };

/** What a new password has to be, for forms. */
export const passwordLength = { min: newPassword.min, max: newPassword.max };

const code = {
  max: 43,
  pattern: userCodeForm,
  patternHint: 'the code in the link of the e-mail: 43 letters, digits, - and _',
};

/** Body of a request for a new password. */
export class ForgotPasswordRequest {
  @Email({ description: "The user's e-mail, in upper or lower case.", example: 'ada@example.com' })
  email!: string;
}

/** Body that sets a new password. */
export class ResetPasswordRequest {
  @Text({ ...code, description: 'The code in the link of the e-mail.', example: codeExample })
  code!: string;

  @Text({ ...newPassword, example: 'correct horse battery staple' })
  password!: string;
}

/** Body of a change of the password. */
export class ChangePasswordRequest {
  @Text({ max: 200, description: 'The password up to now.', example: 'correct horse battery staple' })
  currentPassword!: string;

  @Text({ ...newPassword, example: 'a cat walked over my keyboard' })
  newPassword!: string;
}

/** Body of a change of the e-mail. */
export class ChangeEmailRequest {
  @Email({ description: 'The new e-mail, which is to be confirmed.', example: 'ada.lovelace@example.com' })
  email!: string;

  @Text({ max: 200, description: "The user's password.", example: 'correct horse battery staple' })
  password!: string;
}

/** Body that confirms a new e-mail. */
export class ConfirmEmailRequest {
  @Text({ ...code, description: 'The code in the link of the e-mail.', example: codeExample })
  code!: string;
}
