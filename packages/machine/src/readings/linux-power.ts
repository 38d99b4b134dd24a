import type { Readings } from './readings.ts';

/** A folder of `/sys/class/power_supply`: its files by name. */
export type PowerSupply = Readonly<
  Partial<Record<'type' | 'scope' | 'online' | 'capacity' | 'status', string>>
>;

/** Reads power and charge from Linux' list of power supplies. Batteries of mice and phones do not count. */
export function linuxPower(supplies: readonly PowerSupply[]): Pick<Readings, 'power' | 'chargePercent'> {
  const own = supplies.filter(({ scope }) => scope?.trim() !== 'Device');
  const is = (type: string) => (supply: PowerSupply) => supply.type?.trim() === type;
  const batteries = own.filter(is('Battery'));
  const charges = batteries
    .map(({ capacity }) => Number(capacity?.trim() || Number.NaN))
    .filter((percent) => percent >= 0 && percent <= 100);
  const chargePercent = charges.length === 0 ? null : Math.min(...charges);
  if (own.some((supply) => is('Mains')(supply) && supply.online?.trim() === '1'))
    return { power: 'mains', chargePercent };
  if (batteries.length === 0) return { power: own.some(is('UPS')) ? null : 'mains', chargePercent };
  const drains = batteries.some(({ status }) => status?.trim() === 'Discharging');
  return { power: drains ? 'battery' : 'mains', chargePercent };
}
