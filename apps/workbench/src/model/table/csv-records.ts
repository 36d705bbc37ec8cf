/** The longest record of a table, in characters. */
const MOST_CHARACTERS = 1024 * 1024;

/** Splits CSV (RFC 4180) into records while its text arrives. Skips records whose cells are all empty. */
export class CsvRecords {
  private cells: string[] = [];
  private cell = '';
  private length = 0;
  private line = 1;
  /**
   * `start`: at the start of a cell. `closed`: after a quotation mark, which ends the cell unless another quotation
   * mark follows.
   */
  private state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  private isAfterReturn = false;
  private done: string[][] = [];

  constructor(private readonly separator: string) {}

  /**
   * Returns the records that a piece of text completes.
   * @throws Error that names the line of a misplaced quotation mark
   */
  push(text: string): string[][] {
    for (const character of text) this.take(character);
    return this.done.splice(0);
  }

  /**
   * Returns the last record if no line end has completed it.
   * @throws Error for an open quotation mark
   */
  end(): string[][] {
    if (this.state === 'quoted') throw this.problem('a quotation mark is never closed');
    if (this.cells.length > 0 || this.cell !== '') this.endRecord();
    return this.done.splice(0);
  }

  private take(character: string): void {
    if (character === '\n' || character === '\r') {
      const isSecond = character === '\n' && this.isAfterReturn;
      this.isAfterReturn = character === '\r';
      if (!isSecond) this.line += 1;
      if (this.state === 'quoted') this.add(character);
      else if (!isSecond) this.endRecord();
      return;
    }
    this.isAfterReturn = false;
    if (character === '"') this.quote();
    else if (this.state === 'quoted') this.add(character);
    else if (character === this.separator) this.endCell();
    else if (this.state === 'closed') throw this.problem('a quotation mark is followed by text');
    else {
      this.state = 'plain';
      this.add(character);
    }
  }

  private quote(): void {
    if (this.state === 'plain') throw this.problem('a quotation mark stands in a cell without quotation marks');
    if (this.state === 'closed') this.add('"');
    this.state = this.state === 'quoted' ? 'closed' : 'quoted';
  }

  private add(character: string): void {
    this.cell += character;
    if ((this.length += 1) > MOST_CHARACTERS) throw this.problem('the row is longer than 1 MiB');
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = '';
    this.state = 'start';
  }

  private endRecord(): void {
    this.endCell();
    if (this.cells.some((cell) => cell.trim() !== '')) this.done.push(this.cells);
    this.cells = [];
    this.length = 0;
  }

  private problem(text: string): Error {
    return new Error(`Line ${this.line}: ${text}. Correct it, and choose the file again.`);
  }
}
