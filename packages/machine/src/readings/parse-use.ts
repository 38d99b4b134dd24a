const NANOSECONDS = 1e9;
/** Longer than any machine runs without a restart: such a number is no time. */
const MAX_IDLE_SECONDS = 10 * 365 * 24 * 3600;

/**
 * Parses the `HIDIdleTime` of `ioreg -c IOHIDSystem -d 4`, in seconds. Of several input devices, the one used last
 * counts. Null without an input device.
 */
export function parseIdleSeconds(text: string): number | null {
  const seconds = [...text.matchAll(/"HIDIdleTime" = (\d{1,20})\b/g)]
    .map(([, nanoseconds]) => Number(nanoseconds) / NANOSECONDS)
    .filter((value) => value <= MAX_IDLE_SECONDS);
  return seconds.length === 0 ? null : Math.min(...seconds);
}
