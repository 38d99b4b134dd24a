/** Shorter values are no secrets, and would be found by chance. */
const MIN_LENGTH = 6;

/**
 * Returns a function that removes secrets from a text: servers repeat a wrong key in their messages, and the submitter
 * sees those. `secrets` maps a word for what is removed to its values.
 */
export function withoutSecrets(
  secrets: Readonly<Record<string, readonly string[]>>,
): (text: string) => string {
  const replacements = Object.entries(secrets)
    .flatMap(([word, values]) => values.flatMap((value) => formsOf(value).map((form) => ({ form, word }))))
    // A part of a secret must not be replaced before the whole.
    .sort((a, b) => b.form.length - a.form.length);
  return (text) => replacements.reduce((rest, { form, word }) => rest.replaceAll(form, `[${word}]`), text);
}

/** The forms in which a server may repeat a value: whole, without a scheme such as `Bearer`, or inside JSON. */
function formsOf(value: string): readonly string[] {
  const parts = [value, ...value.split(/\s+/)].filter((part) => part.length >= MIN_LENGTH);
  return [...new Set(parts.flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]))];
}
