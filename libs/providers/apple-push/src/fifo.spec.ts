import fc from 'fast-check';
import { Fifo } from './fifo.js';

it('Fifo returns its items in the order in which they were added, like an array', () => {
  // Long runs of additions and removals make the queue compact itself several times.
  const runs = fc.array(fc.record({ pushes: fc.nat(3_000), shifts: fc.nat(3_000) }), { maxLength: 6 });
  fc.assert(
    fc.property(runs, (steps) => {
      const fifo = new Fifo<number>();
      let [put, taken] = [0, 0];
      for (const { pushes, shifts } of steps) {
        for (let i = 0; i < pushes; i++) fifo.push(put++);
        for (let i = 0; i < shifts; i++) {
          const expected = taken < put ? taken++ : undefined;
          if (fifo.first !== expected || fifo.shift() !== expected) return false;
        }
        if (fifo.size !== put - taken) return false;
      }
      return true;
    }),
  );
});
