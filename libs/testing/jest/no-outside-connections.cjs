/** Fails a test that connects to another machine, because its result would depend on the network. */
const { BlockList, isIP, Socket } = require('node:net');

const installed = Symbol.for('passwright.no-outside-connections');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('0.0.0.0', 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addAddress('::', 'ipv6');

// Patch the core modules once, because all spec files of a worker share them.
if (!Socket.prototype[installed]) {
  const connect = Socket.prototype.connect;
  Socket.prototype[installed] = true;
  /** @this {Socket} @param {any[]} args */
  Socket.prototype.connect = function (...args) {
    const target = Array.isArray(args[0]) ? args[0][0] : args[0];
    if (typeof target !== 'object' || target === null) {
      if (typeof target === 'number' || /^\d+$/.test(target))
        rejectOutside(typeof args[1] === 'string' ? args[1] : 'localhost');
      return Reflect.apply(connect, this, args);
    }
    if (target.path) return Reflect.apply(connect, this, args);
    const host = target.host ?? 'localhost';
    // Check the address that the resolver returns, because a test may have its own DNS resolver.
    if (target.lookup && !isIP(host)) target.lookup = checked(target.lookup);
    else rejectOutside(host);
    return Reflect.apply(connect, this, args);
  };
}

function checked(lookup) {
  return (host, options, callback) =>
    lookup(host, options, (error, response, family) => {
      if (error) return callback(error);
      try {
        for (const { address } of Array.isArray(response) ? response : [{ address: response }])
          rejectOutside(address, host);
      } catch (rejection) {
        return callback(rejection);
      }
      return callback(null, response, family);
    });
}

function rejectOutside(address, host = address) {
  const family = isIP(address);
  const inside = family
    ? loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
    : address === 'localhost' || address.endsWith('.localhost');
  if (inside) return;
  throw new Error(
    `This test opens a connection to ${host}, outside this machine. Let it use a fake or a server of its own.`,
  );
}
