import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

/**
 * A module that a process loads before its own code. It makes every clock and timer of JavaScript `REPLAY_FACTOR` times
 * as fast. `REPLAY_EPOCH_MS` is the real time at which fast and real clocks agree. It is the same for all processes of a
 * run and for its database.
 *
 * The timers of Node's sockets and HTTP server stay as they are. The timers of fetch are fast: it closes idle
 * connections sooner.
 */
const factor = Number(process.env['REPLAY_FACTOR']);
const epoch = Number(process.env['REPLAY_EPOCH_MS']);
if (!(factor > 0) || !(epoch > 0)) throw new Error('REPLAY_FACTOR and REPLAY_EPOCH_MS must be set');

const RealDate = Date;
const real = {
  now: RealDate.now,
  monotonic: performance.now.bind(performance),
  setTimeout,
  setInterval,
  timeout: AbortSignal.timeout.bind(AbortSignal),
};
const timers = process.getBuiltinModule('node:timers');
const promises = process.getBuiltinModule('node:timers/promises');
const realDelay = promises.setTimeout;
const realTicks = promises.setInterval;

const fastNow = () => epoch + (real.now() - epoch) * factor;

class FastDate extends RealDate {
  constructor(...args: [] | ConstructorParameters<typeof RealDate>) {
    if (args.length === 0) super(fastNow());
    else super(...args);
  }
  static override now(): number {
    return Math.floor(fastNow());
  }
}

type Callback = (...args: unknown[]) => void;
const delay = (ms?: number, ...rest: Parameters<typeof realDelay> extends [unknown?, ...infer R] ? R : []) =>
  realDelay((ms ?? 1) / factor, ...rest);
const fastTimeout = Object.assign(
  (callback: Callback, ms?: number, ...args: unknown[]) =>
    real.setTimeout(callback, (ms ?? 1) / factor, ...args),
  { [promisify.custom]: delay },
);
const fastInterval = (callback: Callback, ms?: number, ...args: unknown[]) =>
  real.setInterval(callback, (ms ?? 1) / factor, ...args);

const fast = { setTimeout: fastTimeout, setInterval: fastInterval };
Object.assign(globalThis, { Date: FastDate, ...fast });
Object.assign(timers, fast);
Object.assign(promises, {
  setTimeout: delay,
  setInterval: (ms?: number, ...rest: [value?: unknown]) => realTicks((ms ?? 1) / factor, ...rest),
});
Object.defineProperty(performance, 'now', { value: () => real.monotonic() * factor });
// AbortSignal.timeout accepts whole milliseconds only.
Object.assign(AbortSignal, { timeout: (ms: number) => real.timeout(Math.round(ms / factor)) });
syncBuiltinESMExports();
