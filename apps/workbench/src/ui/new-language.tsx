import { useState } from 'preact/hooks';
import { tagOf } from '../model/translations.js';
import { TextField } from './field.js';

/** The input that adds a language to those that already have texts. */
export function NewLanguage({ tags, onAdd }: { tags: readonly string[]; onAdd: (tag: string) => void }) {
  const [text, setText] = useState('');
  const tag = tagOf(text.trim());
  const isKnown = tag !== null && tags.includes(tag);
  return (
    <div class="search">
      <TextField
        label="Add a language"
        placeholder="de"
        value={text}
        error={isKnown ? 'It has this language already.' : null}
        onChange={setText}
      />
      <button
        type="button"
        disabled={tag === null || isKnown}
        onClick={() => {
          if (tag === null) return;
          onAdd(tag);
          setText('');
        }}
      >
        Add
      </button>
    </div>
  );
}
