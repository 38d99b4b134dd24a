const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, COMMA, QUOTE, BACKSLASH] = [
  0x5b, 0x5d, 0x7b, 0x7d, 0x2c, 0x22, 0x5c,
];

/** The text of a JSON object is not valid. The message is the end of a sentence about the object. */
export class ElementProblem extends Error {}

/**
 * Splits the text of a JSON object that arrives in pieces into the exact texts of the elements of one array in it.
 * (Streaming JSON parsers yield values or tokens, which lose the text of numbers and escapes.) The object may have no
 * other member. Finds where elements end, and does not validate them. Keeps no more than one element in memory.
 */
export class ElementSplitter {
  readonly #member: string;
  readonly #maxLength: number;
  #inside: 'nothing' | 'object' | 'array' | 'ended' = 'nothing';
  /** Open brackets inside the current member or element. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The current member or element so far. */
  #pieces: string[] = [];
  #length = 0;
  /** Members or elements that have ended in the current object or array. */
  #ended = 0;
  #membersBefore = 0;
  #found = false;
  /** The array has ended, the member that it is the value of has not. */
  #behindArray = false;

  /**
   * @param member the name of the member whose value is the array.
   * @param maxLength longest element, in UTF-16 code units.
   */
  constructor(member: string, maxLength: number) {
    this.#member = member;
    this.#maxLength = maxLength;
  }

  /** Takes the next piece of the text and yields the elements that end in it. Throws `ElementProblem`. */
  *add(text: string): Generator<string, void, undefined> {
    let start = 0;
    for (let i = 0; i < text.length; i += 1) {
      if (this.#inString) {
        i = this.#endOfString(text, i);
        continue;
      }
      const c = text.charCodeAt(i);
      if (c <= 0x20) continue;
      if (this.#inside === 'nothing' || this.#inside === 'ended') {
        this.#enter(c);
        start = i + 1;
      } else if (c === QUOTE) {
        this.#inString = true;
      } else if (this.#depth === 0 && (c === COMMA || c === this.#closing())) {
        this.#keep(text.slice(start, i));
        start = i + 1;
        const element = this.#end(c !== COMMA);
        if (element !== null) yield element;
      } else if (c === OPEN_ARRAY && this.#depth === 0 && this.#isMember(text.slice(start, i))) {
        this.#enterArray();
        start = i + 1;
      } else if (c === OPEN_ARRAY || c === OPEN_OBJECT) {
        this.#depth += 1;
      } else if (c === CLOSE_ARRAY || c === CLOSE_OBJECT) {
        this.#depth -= 1;
        if (this.#depth < 0) throw new ElementProblem('is not JSON: it has a bracket too many');
      }
    }
    if (this.#inside !== 'nothing' && this.#inside !== 'ended') this.#keep(text.slice(start));
  }

  /** Call after the last piece. Throws `ElementProblem` if something is missing. */
  end(): void {
    if (this.#inside === 'nothing') throw new ElementProblem('is empty');
    if (this.#inside !== 'ended') throw new ElementProblem('is not JSON: it is cut off');
    if (!this.#found) throw new ElementProblem(`has no array ${this.#member}`);
  }

  /** Advances inside a string to its end, or to the end of the text. */
  #endOfString(text: string, from: number): number {
    let i = from;
    for (; i < text.length; i += 1) {
      const c = text.charCodeAt(i);
      if (this.#escaped) this.#escaped = false;
      else if (c === BACKSLASH) this.#escaped = true;
      else if (c === QUOTE) {
        this.#inString = false;
        return i;
      }
    }
    return i;
  }

  #enter(c: number): void {
    if (this.#inside === 'ended') throw new ElementProblem('is not JSON: it has text behind the object');
    if (c !== OPEN_OBJECT) throw new ElementProblem('is not a JSON object');
    this.#inside = 'object';
  }

  #closing(): number | undefined {
    return this.#inside === 'array' ? CLOSE_ARRAY : CLOSE_OBJECT;
  }

  /** Whether the text in front of a bracket is the name of the member with the array. */
  #isMember(lastPiece: string): boolean {
    if (this.#inside !== 'object' || this.#behindArray) return false;
    const name = /^\s*("[\s\S]*")\s*:\s*$/.exec([...this.#pieces, lastPiece].join(''))?.[1];
    if (name === undefined || parsed(name) !== this.#member) return false;
    if (this.#found) throw new ElementProblem(`has ${this.#member} twice`);
    return true;
  }

  #enterArray(): void {
    this.#found = true;
    this.#inside = 'array';
    this.#membersBefore = this.#ended;
    this.#ended = 0;
    this.#clear();
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#maxLength)
      throw new ElementProblem(
        `has ${this.#inside === 'array' ? `an element of ${this.#member}` : 'a member'} of more than ${this.#maxLength} characters`,
      );
    this.#pieces.push(piece);
  }

  /** Ends the current member or element. Returns the element. */
  #end(isLast: boolean): string | null {
    const text = this.#pieces.join('').trim();
    this.#clear();
    const isNothing = text === '' && isLast && this.#ended === 0;
    this.#ended += 1;
    if (this.#inside === 'array') {
      if (text === '' && !isNothing)
        throw new ElementProblem(`is not JSON: ${this.#member} has a comma too many`);
      if (isLast) {
        this.#inside = 'object';
        this.#behindArray = true;
        this.#ended = this.#membersBefore;
      }
      return isNothing ? null : text;
    }
    if (!isNothing) this.#checkMember(text);
    if (isLast) this.#inside = 'ended';
    return null;
  }

  #checkMember(text: string): void {
    if (this.#behindArray) {
      this.#behindArray = false;
      if (text !== '') throw new ElementProblem(`is not JSON: it has text behind ${this.#member}`);
      return;
    }
    const value = parsed(`{${text}}`);
    if (typeof value !== 'object' || value === null || text === '')
      throw new ElementProblem('is not JSON: a member is not valid');
    const [name = ''] = Object.keys(value);
    throw new ElementProblem(
      name === this.#member
        ? `has no array ${this.#member}: it is something else`
        : `has the unknown member ${name}`,
    );
  }

  #clear(): void {
    this.#pieces = [];
    this.#length = 0;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
