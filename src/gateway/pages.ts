/**
 * Pages in the order of ids: their sizes and their cursors. A cursor is the last id of a page, not an
 * offset, so that no entry is repeated or lost because others came or went.
 */
import type { FieldFaults } from './field-faults.ts';

const defaultPageSize = 20;
const largestPageSize = 100;
/** A cursor of ours is far shorter; a longer text is not parsed at all. */
const cursorLengthMax = 256;

/** Size of a page whose request was checked: the default for 0, cut to the largest. */
export function pageSizeOf(pageSize: number): number {
  return pageSize === 0 ? defaultPageSize : Math.min(pageSize, largestPageSize);
}

/** A cursor that holds these parts: opaque to callers, and safe in a URL. */
export function encodeCursorParts(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts), 'utf8').toString('base64url');
}

/** The parts of a cursor of so many; null: it is none of ours, which is all the caller needs to know. */
export function decodeCursorParts(text: string, count: number): readonly unknown[] | null {
  if (text.length > cursorLengthMax) return null;
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(parts) && parts.length === count ? (parts as unknown[]) : null;
  } catch {
    // Not JSON.
    return null;
  }
}

/** The cursor of a page that ends with this id. */
export function encodeIdCursor(id: string): string {
  return encodeCursorParts([id]);
}

/** Cursor behind a page; '' behind a short one, which is the last: no further call is needed to learn that. */
export function cursorBehind<Row>(
  page: readonly Row[],
  size: number,
  idOf: (row: Row) => string,
): string {
  const last = page.at(-1);
  return last === undefined || page.length < size ? '' : encodeIdCursor(idOf(last));
}

/**
 * The id behind which a page begins, '' for the first page. Notes a fault, and answers '', for a
 * negative size or a cursor that is none of ours.
 */
export function pageFaults(
  faults: FieldFaults,
  page: { readonly pageSize: number; readonly cursor: string },
  idFault: (text: string) => string | null,
): string {
  if (page.pageSize < 0) faults.add('page_size', 'negative');
  if (page.cursor === '') return '';
  const id = decodeIdCursor(page.cursor);
  if (id !== null && idFault(id) === null) return id;
  faults.add('cursor', 'malformed');
  return '';
}

function decodeIdCursor(text: string): string | null {
  const [id] = decodeCursorParts(text, 1) ?? [];
  return typeof id === 'string' ? id : null;
}
