/**
 * A module that a worker loads before its own code. It makes the worker's clock wrong by `CLOCK_OFF_MS`. Leases use the
 * database's clock, so a wrong clock must not matter.
 */
const off = Number(process.env['CLOCK_OFF_MS'] ?? 0);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args: ConstructorParameters<typeof RealDate> | []) {
    if (args.length === 0) super(RealDate.now() + off);
    else super(...(args as ConstructorParameters<typeof RealDate>));
  }
  static override now(): number {
    return RealDate.now() + off;
  }
} as DateConstructor;
