/** The formats of times in one zone. To create one takes about as long as to use it a hundred times. */
export interface ZoneFormats {
  /** The zone's name as the database of time zones spells it. */
  readonly zone: string;
  /** With the day and the name of the zone. */
  readonly exact: Intl.DateTimeFormat;
  readonly timeOfDay: Intl.DateTimeFormat;
  readonly dayAndTime: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
}

/** Readers choose their zone, so the number of zones that are kept is limited. */
const MAX_ZONES = 100;
const kept = new Map<string, ZoneFormats>();

/** Returns the formats of a zone. Throws `RangeError` if the zone is not known. */
export function zoneFormats(zone: string): ZoneFormats {
  const known = kept.get(zone);
  if (known !== undefined) return known;
  const formats = createFormats(zone);
  if (kept.size >= MAX_ZONES) kept.clear();
  kept.set(zone, formats);
  return formats;
}

function createFormats(timeZone: string): ZoneFormats {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, ...options });
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  const day = format({});
  return {
    zone: day.resolvedOptions().timeZone,
    exact: format({
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      ...time,
      second: '2-digit',
      timeZoneName: 'short',
    }),
    timeOfDay: format(time),
    dayAndTime: format({ ...time, weekday: 'short', day: 'numeric', month: 'short' }),
    day,
  };
}
