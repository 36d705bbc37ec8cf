import { fromInput, toInput } from '../model/dates.js';
import type { MessageInput } from '../model/message.js';
import { AreaField, CheckField, TextField } from '../ui/field.js';
import { MessageLanguages } from './message-languages.js';

export interface MessageFieldsProps {
  readonly input: MessageInput;
  /** The sentences of an API error, by the property that they are about. */
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (input: MessageInput) => void;
}

/** The properties of a message that an error may name. */
export const messageProperties = ['title', 'text', 'translations', 'topic', 'sendAt', 'urgent', 'filter'];

/** The text of a message and when to send it. */
export function MessageFields({ input, problems, onChange }: MessageFieldsProps) {
  const set = (changes: Partial<MessageInput>) => onChange({ ...input, ...changes });
  const text = (name: 'title' | 'topic') => ({
    value: input[name],
    error: problems.get(name),
    onChange: (value: string) => set({ [name]: value }),
  });
  return (
    <>
      <TextField
        label="Heading"
        hint="Optional. Google Wallet shows the issuer’s name without it."
        {...text('title')}
      />
      <AreaField
        label="Message"
        hint={`${[...input.text].length} of 500 characters`}
        rows={3}
        value={input.text}
        error={problems.get('text')}
        onChange={(value) => set({ text: value })}
      />
      <MessageLanguages
        translations={input.translations}
        error={[...problems].find(([path]) => path.startsWith('translations'))?.[1]}
        onChange={(translations) => set({ translations })}
      />
      <div class="columns">
        <TextField
          label="Send at"
          type="datetime-local"
          hint="In your time zone. Empty: now."
          value={toInput(input.sendAt)}
          error={problems.get('sendAt')}
          onChange={(value) => set({ sendAt: fromInput(value) ?? '' })}
        />
        <TextField label="Topic" hint="A later message with the same topic replaces this one." {...text('topic')} />
      </div>
      <CheckField
        label="Urgent"
        hint="Sends it in quiet hours too."
        checked={input.urgent}
        onChange={(urgent) => set({ urgent })}
      />
    </>
  );
}
