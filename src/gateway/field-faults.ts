/**
 * Collects what is wrong with a request, so that a caller hears everything at once and not one field
 * per try. Each check is a named rule; the answer names fields as the public contract spells them.
 */
import { refusal } from './refusals.ts';

/** Faults named in one answer; the rest would only make the trailer too large to send. */
const faultsNamedMax = 16;

/** See the file header. One per request. */
export interface FieldFaults {
  /** Notes a fault unless it is null. */
  add(field: string, fault: string | null): void;
  /** Texts are measured in UTF-8 bytes, as the columns and the frames that hold them are. */
  text(field: string, text: string, bytesMax: number): void;
  /** A text that must not be empty and holds no control characters. */
  label(field: string, text: string, bytesMax: number): void;
  /** A whole number within [min, max]. */
  integer(field: string, value: number, min: number, max: number): void;
  /** Throws INVALID_FIELD with every fault noted; returns when there is none. */
  throwIfAny(): void;
}

/** An empty collection. */
export function createFieldFaults(): FieldFaults {
  const found: { field: string; fault: string }[] = [];
  const add = (field: string, fault: string | null): void => {
    if (fault !== null) found.push({ field, fault });
  };
  const text = (field: string, value: string, bytesMax: number): void => {
    if (Buffer.byteLength(value, 'utf8') > bytesMax) add(field, `longer than ${bytesMax} bytes`);
  };
  return {
    add,
    text,
    label(field, value, bytesMax) {
      if (value === '') add(field, 'missing');
      else if (/\p{Cc}/u.test(value)) add(field, 'holds control characters');
      text(field, value, bytesMax);
    },
    integer(field, value, min, max) {
      const isInRange = Number.isInteger(value) && value >= min && value <= max;
      if (!isInRange) add(field, `not a whole number from ${min} to ${max}`);
    },
    throwIfAny() {
      if (found.length > 0) throw refusal('INVALID_FIELD', factsOf(found));
    },
  };
}

/** `field` and `fault` name the first; further ones follow as `field_2`, `fault_2` and so on. */
function factsOf(found: readonly { field: string; fault: string }[]): Record<string, string> {
  const facts: Record<string, string> = {};
  found.slice(0, faultsNamedMax).forEach(({ field, fault }, index) => {
    const suffix = index === 0 ? '' : `_${index + 1}`;
    facts[`field${suffix}`] = field;
    facts[`fault${suffix}`] = fault;
  });
  if (found.length > 1) facts['fault_count'] = String(found.length);
  return facts;
}
