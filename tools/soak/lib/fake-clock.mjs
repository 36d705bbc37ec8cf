// A clock that a soak test moves with libfaketime, for all processes with the variables in `environment`.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the path of libfaketime, or undefined if it is not installed. */
export function fakeTimeLibrary() {
  const folder = '/usr/lib';
  return readdirSync(folder)
    .map((name) => join(folder, name, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
}

export class FakeClock {
  #library;
  #file;

  /**
   * Creates the clock.
   * @param stage deletes the clock's file at the end of the test
   */
  constructor(stage, library) {
    const folder = mkdtempSync(join(tmpdir(), 'passwright-clock-'));
    stage.later(() => rmSync(folder, { recursive: true, force: true }));
    // Postgres runs as another user, who must be able to read the clock's file in this folder.
    chmodSync(folder, 0o755);
    this.#library = library;
    this.#file = join(folder, 'offset');
    this.set('+0');
  }

  /**
   * Sets the clock.
   * @param offset the difference from the real time: +400d, -1d, +0
   */
  set(offset) {
    writeFileSync(this.#file, `${offset}\n`);
  }

  get environment() {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
  }
}
