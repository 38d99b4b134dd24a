/**
 * Loaded into a worker before its own code: a Mac whose clock is wrong by `CLOCK_OFF_MS`. The database's
 * clock decides about leases, so it must not matter.
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
