/**
 * Leaves out what an assertion says when it fails: text and facts for people. That it fails is mutated
 * like everything else.
 */
const assertions = new Set(['assert', 'assertDefined', 'assertNever']);

export const strykerPlugins = [
  { kind: 'Ignore', name: 'assertion-texts', value: { shouldIgnore: isTextOfAssertion } },
];

/** The reason, or undefined for what is to be mutated. The first argument is what is asserted. */
function isTextOfAssertion(path) {
  const call = path.parentPath?.node;
  if (path.listKey !== 'arguments' || path.key === 0 || call?.type !== 'CallExpression') return;
  return assertions.has(call.callee.name) ? 'what a failed assertion says' : undefined;
}
