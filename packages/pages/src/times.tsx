import { duration } from '@macbatch/wording';
import { zoneFormats } from './zone-formats.ts';

/** How a reader wants times: their zone, and the moment at which the page was made. */
export interface Clock {
  /** A name of the IANA time zone database, such as `Europe/Berlin`. */
  readonly zone: string;
  readonly now: Date;
}

/** Returns the zone if it is known; otherwise UTC. */
export function knownZone(zone: string | undefined): string {
  if (zone === undefined || zone === '') return 'UTC';
  try {
    return zoneFormats(zone).zone;
  } catch {
    return 'UTC';
  }
}

/** Formats the time of day in the reader's zone, with the day unless it is today. */
export function clockTime(at: Date, { zone, now }: Clock): string {
  const { day, timeOfDay, dayAndTime } = zoneFormats(zone);
  return (day.format(at) === day.format(now) ? timeOfDay : dayAndTime).format(at);
}

/** A range of times of day. One time if both ends look the same. */
export function clockRange(from: Date, to: Date, clock: Clock): string {
  return [...new Set([clockTime(from, clock), clockTime(to, clock)])].join('–');
}

/** Shows how long ago a time was, or how far ahead it is. A pointer on it shows the exact time with its zone. */
export function Ago({ at, clock }: { readonly at: string | null; readonly clock: Clock }) {
  if (at === null) return <>–</>;
  const time = new Date(at);
  const seconds = (clock.now.getTime() - time.getTime()) / 1000;
  const text =
    Math.abs(seconds) < 1 ? 'now' : seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
  return (
    <time datetime={at} title={zoneFormats(clock.zone).exact.format(time)}>
      {text}
    </time>
  );
}

/** Shows a time exactly, with its zone. */
export function Exactly({ at, clock }: { readonly at: string | null; readonly clock: Clock }) {
  if (at === null) return <>–</>;
  return <time datetime={at}>{zoneFormats(clock.zone).exact.format(new Date(at))}</time>;
}
