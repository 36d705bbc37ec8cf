import { emailForm, rejectedName } from '@passwright/core';
import { passwordLength } from '../credentials/credentials.dto.js';
import type { FormField } from './form-page.js';

const MAX_NAME = 200;
const MAX_EMAIL = 254;
/** Matches a text with at least one visible character, as the API requires. */
const visible = /[^\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
const rejected = /[\p{Cc}\p{Cs}]/u;

/** Returns the error message for a new password; undefined if it is acceptable. */
export function newPasswordError(password: string): string | undefined {
  if (password.length < passwordLength.min) return `Choose one of at least ${passwordLength.min} characters.`;
  if (password.length > passwordLength.max) return `Choose one of at most ${passwordLength.max} characters.`;
  return visible.test(password) && !rejected.test(password)
    ? undefined
    : 'Use letters, digits and signs that can be seen.';
}

export function nameError(name: string): string | undefined {
  if (!visible.test(name)) return 'Enter your name.';
  if (rejectedName(name) !== null) return 'Enter your name without characters that turn the direction of text.';
  return name.length <= MAX_NAME && !rejected.test(name)
    ? undefined
    : `Enter a name of at most ${MAX_NAME} characters.`;
}

export function emailError(email: string): string | undefined {
  const isEmail = email.length <= MAX_EMAIL && emailForm.test(email);
  return isEmail ? undefined : 'Enter an e-mail address, such as ada@example.com.';
}

/** Builds a read-only e-mail field, which tells password managers to which user the password belongs. */
export function usernameField(email: string): FormField {
  const kind = { type: 'email', autocomplete: 'username', max: MAX_EMAIL, readOnly: true } as const;
  return { name: 'username', label: 'E-mail', ...kind, value: email };
}

export function newPasswordField(error?: string, label = 'New password'): FormField {
  const kind = { type: 'password', autocomplete: 'new-password', ...passwordLength } as const;
  const hint = `At least ${passwordLength.min} characters. A few words that do not belong together are good.`;
  return { name: 'password', label, ...kind, hint, ...(error && { error }) };
}

export function currentPasswordField(error?: string): FormField {
  const kind = { type: 'password', autocomplete: 'current-password', max: passwordLength.max } as const;
  return { name: 'password', label: 'Password', ...kind, ...(error && { error }) };
}

export function nameField(value: string, error?: string): FormField {
  const kind = { type: 'text', autocomplete: 'name', max: MAX_NAME } as const;
  return { name: 'name', label: 'Your name', ...kind, value, ...(error && { error }) };
}

export function emailField(value: string, error?: string): FormField {
  const kind = { type: 'email', autocomplete: 'username', max: MAX_EMAIL } as const;
  return { name: 'email', label: 'E-mail', ...kind, value, ...(error && { error }) };
}
