import { Injectable } from '@nestjs/common';
import { ValidationFailed } from '@passwright/core';

/** The names of the tools that an API key may be limited to. The module that serves tools registers them. */
@Injectable()
export class AgentTools {
  private names: () => readonly string[] = () => [];

  /** @param names returns the known names; called for each list that is checked */
  learn(names: () => readonly string[]): void {
    this.names = names;
  }

  /** @throws ValidationFailed that lists the unknown names and the known tools */
  requireKnown(wanted: readonly string[]): void {
    const known = this.names();
    const unknown = wanted.filter((name) => !known.includes(name));
    if (unknown.length === 0) return;
    throw new ValidationFailed(`tools must hold only these: ${known.join(', ')}; not ${unknown.join(', ')}`);
  }
}
