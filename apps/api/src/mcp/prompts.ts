import { ProtocolError, ProtocolErrorCode, type GetPromptResult } from '@modelcontextprotocol/server';

/** A prompt: a text that a person chooses to start a common task. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly text: (values: Readonly<Record<string, string | undefined>>) => string;
}

export const prompts: readonly Prompt[] = [
  {
    name: 'design_template',
    title: 'Design a template',
    description: 'Turns a few words into a saved template with a checked preview.',
    arguments: [
      { name: 'purpose', description: 'The purpose of the passes, such as “10 % off for students”.', required: true },
      { name: 'brand', description: 'The name, colours and tone of the issuer.', required: false },
    ],
    text: ({ purpose, brand }) =>
      [
        `Design a wallet pass template for this purpose: ${quoted(purpose)}.`,
        brand ? `Who issues it: ${quoted(brand)}.` : 'Ask who issues it before you choose colours.',
        'Choose the type (offer, event, generic, membership), colours with good contrast, and at most 4 short front fields.',
        'Check the draft with lintTemplate and fix its findings. Save it with upsertTemplate under a descriptive templateId.',
        'Look at previewTemplate for walletA, walletB and web, light and dark, as a designer would, and improve it.',
        'Show me the preview before you issue any pass.',
      ].join('\n'),
  },
  {
    name: 'diagnose_pass',
    title: 'Find out why a pass is not up to date',
    description: 'Finds the cause of a complaint, and what to do about it.',
    arguments: [
      { name: 'templateId', description: "The template's id.", required: true },
      { name: 'passId', description: "The pass's id.", required: true },
      { name: 'complaint', description: 'The complaint in the words of the holder.', required: false },
    ],
    text: ({ templateId, passId, complaint }) =>
      [
        `The pass ${quoted(passId)} of the template ${quoted(templateId)} does not look or behave as it should.`,
        ...(complaint ? [`Its holder says: ${quoted(complaint)}.`] : []),
        'Read it with getPass: is it void, expired, redeemed, not valid yet, or its template archived?',
        'Read getPassDelivery: what each device got since the last change, and what Google Wallet has.',
        'Check the template with lintTemplate for faults that wallets hide silently.',
        'Then tell me in plain words what is wrong, on which device, and what I can do. Change nothing without asking.',
      ].join('\n'),
  },
];

/** Returns the prompt with this name. @throws ProtocolError for an unknown prompt */
export function promptNamed(name: string): Prompt {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt) return prompt;
  const names = prompts.map((one) => one.name).join(' and ');
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}"; there are ${names}.`);
}

/** Builds the messages of a prompt. @throws ProtocolError for an unknown prompt or a missing argument */
export function promptMessages(name: string, values: Readonly<Record<string, string>>): GetPromptResult {
  const prompt = promptNamed(name);
  const missing = prompt.arguments.filter((one) => one.required && !values[one.name]).map((one) => one.name);
  if (missing.length > 0) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The prompt ${name} needs: ${missing.join(', ')}.`);
  }
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(values) } }],
  };
}

/** Quotes a value, because it comes from the person who fills in the prompt's form. */
function quoted(text = ''): string {
  return JSON.stringify(text);
}
