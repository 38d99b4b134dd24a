/** Formats a number with commas: 50,000. */
export function grouped(value: number): string {
  return value.toLocaleString('en');
}

/** A number with its noun: "1 task", "2,000 tasks". */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
