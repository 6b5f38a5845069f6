/**
 * The server counts characters (code points), a JavaScript string UTF-16 units: an emoji or a rare Han character
 * is one of the first and two of the second. Gives the index into `text` of the character number `codePoints`.
 */
export function codePointOffset(text: string, codePoints: number): number {
  let at = 0;
  for (let left = codePoints; left > 0 && at < text.length; left -= 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** The other way: how many characters lie before the index `units` of `text`. */
export const codePointsBefore = (text: string, units: number): number => [...text.slice(0, units)].length;
