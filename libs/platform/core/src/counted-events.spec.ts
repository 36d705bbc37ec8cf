import { counted, onCounted, type Counted } from './counted-events.js';

it('`counted` notifies a listener until it unsubscribes, and has no effect without listeners', () => {
  const heard: Counted[] = [];
  counted('apple_pushes', { outcome: 'accepted' });
  const end = onCounted((event) => heard.push(event));
  counted('apple_pushes', { outcome: 'gone' });
  counted('failed_jobs', { task: 'passes.changed' });
  end();
  counted('apple_pushes', { outcome: 'retry' });
  expect(heard).toEqual([
    { name: 'apple_pushes', labels: { outcome: 'gone' } },
    { name: 'failed_jobs', labels: { task: 'passes.changed' } },
  ]);
});
