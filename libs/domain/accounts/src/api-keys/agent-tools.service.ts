import { Injectable } from '@nestjs/common';
import { ValidationFailed } from '@passwright/core';

/** The names of the tools that agents may be given; whoever serves tools says which there are. */
@Injectable()
export class AgentTools {
  private names: () => readonly string[] = () => [];

  /** @param names asked for whenever a list is checked */
  learn(names: () => readonly string[]): void {
    this.names = names;
  }

  /** @throws ValidationFailed that names what is no tool, and the tools */
  requireKnown(wanted: readonly string[]): void {
    const known = this.names();
    const unknown = wanted.filter((name) => !known.includes(name));
    if (unknown.length === 0) return;
    throw new ValidationFailed(`tools must hold only these: ${known.join(', ')}; not ${unknown.join(', ')}`);
  }
}
