/**
 * Nominal types over plain values, so that two strings (or two bigints) that mean different things
 * cannot be swapped by accident. A brand exists for the compiler only and costs nothing at run time.
 */

declare const brand: unique symbol;

/** A `Base` that carries the name `Name`. Make one only through the parser that checks its rule. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
