/** Most characters of a text that a page shows. The rest is a download. */
const MAX_SHOWN = 64 * 1024;

/**
 * Characters that a browser does not show, or that change how it shows their neighbours: control characters except
 * line ends and tabs, marks of direction and other format characters, and lone surrogates. The two joiners are part of
 * words and of emoji.
 */
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Splits a text into the pieces that can be shown as they are, and the characters that need an escape. */
export function visiblePieces(text: string): readonly { readonly text: string; readonly escaped: boolean }[] {
  const pieces: { text: string; escaped: boolean }[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (index > from) pieces.push({ text: text.slice(from, index), escaped: false });
    pieces.push({ text: escapeOf(character), escaped: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), escaped: false });
  return pieces;
}

function escapeOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** Shows a text that others wrote, exactly: in a direction of its own, and hidden characters as escapes. */
export function ExactText({ text }: { readonly text: string }) {
  return (
    <bdi>
      {visiblePieces(text).map((piece) =>
        piece.escaped ? <span class="escape">{piece.text}</span> : piece.text,
      )}
    </bdi>
  );
}

/** Shows a long text in a block that scrolls, cut after 64 KB, with a link to the whole. */
export function TextBlock({ text, whole }: { readonly text: string; readonly whole: string }) {
  const isCut = text.length > MAX_SHOWN;
  return (
    <>
      <pre class="text" tabindex={0}>
        <ExactText text={isCut ? text.slice(0, MAX_SHOWN) : text} />
      </pre>
      {isCut && (
        <p class="note">
          The first {MAX_SHOWN.toLocaleString('en')} of {text.length.toLocaleString('en')} characters are
          shown. <a href={whole}>Download the whole text</a>
        </p>
      )}
    </>
  );
}
