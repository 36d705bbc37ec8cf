import 'reflect-metadata';
import { Listeners, Listens } from './listeners.js';

abstract class DoorListener {
  abstract opened(): string;
}

@Listens(DoorListener)
class Bell extends DoorListener {
  opened(): string {
    return 'rings';
  }
}

class Unmarked extends DoorListener {
  opened(): string {
    return 'is not called';
  }
}

abstract class WindowListener {
  abstract opened(): string;
}

@Listens(WindowListener)
class Curtain extends WindowListener {
  opened(): string {
    return 'moves';
  }
}

const bell = new Bell();
const instances: unknown[] = [bell, bell, new Unmarked(), new Curtain(), null, undefined, 'text', Object.create(null)];
const discovery = { getProviders: () => instances.map((instance) => ({ instance })) };

it('Listeners finds every provider of a listener exactly once', () => {
  expect(new Listeners(discovery, DoorListener).all).toEqual([bell]);
});

it('Listeners searches all providers once, at the first use', () => {
  const search = jest.spyOn(discovery, 'getProviders');
  const listeners = new Listeners(discovery, DoorListener);
  expect(search).not.toHaveBeenCalled();
  expect(listeners.all).toBe(listeners.all);
  expect(search).toHaveBeenCalledTimes(1);
});
