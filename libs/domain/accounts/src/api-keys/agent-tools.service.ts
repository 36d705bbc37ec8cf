import { Injectable } from '@nestjs/common';
import { ValidationFailed } from '@passwright/core';

/** The names of the tools to which an API key may be limited. The module that serves the tools registers them. */
@Injectable()
export class AgentTools {
  private names: () => readonly string[] = () => [];

  /**
   * Registers the known tools.
   * @param names returns their names; called for each check
   */
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
