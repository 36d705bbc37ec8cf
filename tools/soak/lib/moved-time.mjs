// The time of a test that moves the clock of its nodes and database.
import { within } from './stage.mjs';

/** How many seconds the database may take to show the moved time. */
const READ_SECONDS = 5;
const CLOSE_MS = 1500;

export class MovedTime {
  #clock;
  #cluster;
  #seconds = 0;

  /**
   * @param clock the `FakeClock` of all processes
   * @param cluster the database that uses this clock
   */
  constructor(clock, cluster) {
    this.#clock = clock;
    this.#cluster = cluster;
  }

  now = () => new Date(Date.now() + this.#seconds * 1000);

  get days() {
    return this.#seconds / 86_400;
  }

  /** Moves the clock ahead, and waits until the database returns the new time. */
  async move(seconds) {
    this.#seconds += Math.round(seconds);
    this.#clock.set(`+${this.#seconds}`);
    const isMoved = async () => {
      const time = Number(this.#cluster.sql('SELECT extract(epoch FROM clock_timestamp()) * 1000'));
      return Math.abs(time - this.now().getTime()) < CLOSE_MS;
    };
    if ((await within(READ_SECONDS, isMoved)) === Infinity) throw new Error('The database does not have the new time.');
  }
}
