/** Reading JSON that came from outside without believing it. */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object in a text; null when there is none. */
export function jsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    // Not JSON: the callers answer or ignore that.
    return null;
  }
}

/** A field's text; '' when it holds anything else. */
export function textField(object: JsonObject | null | undefined, name: string): string {
  const value = object?.[name];
  return typeof value === 'string' ? value : '';
}
