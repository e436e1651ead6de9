/** Which stacks are tried, by what configuration names and by what was found. */
import { describe, expect, it } from 'vitest';
import {
  chooseStack,
  needsEngineProbe,
  type StackProbes,
} from '../../../scripts/stack/stack-choice.ts';

const servers = {
  ROOMCELL_KAFKA_BROKERS: 'k:9092',
  ROOMCELL_MYSQL_HOST: 'm',
  ROOMCELL_REDIS_URL: 'redis://r',
};
const nothing: StackProbes = { engine: 'no engine', takesEmbedded: false };
const engine: StackProbes = { ...nothing, engine: 'answers' };
const everything: StackProbes = { engine: 'answers', takesEmbedded: true };

const nativeOrEmbedded = ['native', 'embedded'] as const;

describe('the choice of a stack', () => {
  it.each([
    ['native, when nothing else is there', {}, nothing, ['native']],
    ['containers first, when an engine answers', {}, engine, ['compose', 'native']],
    ['native, when docker has no Compose', {}, { ...engine, engine: 'no compose' }, ['native']],
    ['embedded last of all', {}, everything, ['compose', 'native', 'embedded']],
    ['embedded also beside no engine', {}, { ...nothing, takesEmbedded: true }, nativeOrEmbedded],
    [
      'never embedded in place of a named server',
      { ROOMCELL_MYSQL_HOST: 'm' },
      everything,
      ['native'],
    ],
    [
      'embedded, when the drivers are to be',
      { ROOMCELL_DRIVERS: 'embedded' },
      everything,
      ['embedded'],
    ],
    ['given, when all three servers are named', servers, everything, ['given']],
    ['no containers beside a named MySQL', { ROOMCELL_MYSQL_PORT: '1' }, engine, ['native']],
    ['no containers beside a named Redis', { ROOMCELL_REDIS_URL: 'redis://r' }, engine, ['native']],
    ['what is asked for, alone', { ROOMCELL_STACK: 'native' }, everything, ['native']],
    [
      'what is asked for, over named servers',
      { ...servers, ROOMCELL_STACK: 'native' },
      engine,
      ['native'],
    ],
    [
      'compose, when it is asked for and answers',
      { ROOMCELL_STACK: 'compose' },
      engine,
      ['compose'],
    ],
    ['given, when it is asked for', { ROOMCELL_STACK: 'given' }, everything, ['given']],
    [
      'embedded, when it is asked for, also in CI',
      { ROOMCELL_STACK: 'embedded', CI: '1' },
      everything,
      ['embedded'],
    ],
    ['as if unasked, for an empty word', { ROOMCELL_STACK: '' }, engine, ['compose', 'native']],
  ] as const)('is %s', (_, environment, probes, kinds) => {
    expect(chooseStack(environment, probes)).toEqual({ kinds });
  });

  it('is never embedded by itself in CI, and says why', () => {
    expect(chooseStack({ CI: 'true' }, everything)).toEqual({
      kinds: ['compose', 'native'],
      notEmbedded: expect.stringMatching(/^CI is set.*ROOMCELL_STACK=embedded/) as string,
    });
    expect(chooseStack({ CI: '' }, everything)).not.toHaveProperty('notEmbedded');
  });

  it.each([
    ['a word that is none', 'docker', everything, /'docker'; it may be given, compose, native/],
    ['containers without an engine', 'compose', nothing, /no Docker engine answers/],
    [
      'containers without Compose',
      'compose',
      { ...engine, engine: 'no compose' },
      /no Compose plugin/,
    ],
    ['embedded, where servers are needed', 'embedded', engine, /this needs servers/],
  ] as const)('refuses %s', (_, asked, probes, sentence) => {
    const choice = chooseStack({ ROOMCELL_STACK: asked }, probes);
    expect('refusal' in choice && choice.refusal).toMatch(sentence);
  });

  it.each([
    [{}, true],
    [{ ROOMCELL_STACK: 'compose', ...servers }, true],
    [{ ROOMCELL_STACK: 'native' }, false],
    [{ ROOMCELL_DRIVERS: 'embedded' }, false],
    [servers, false],
    [{ ROOMCELL_MYSQL_HOST: 'm' }, false],
  ])('with %o asks the engine: %s', (environment, isAsked) => {
    expect(needsEngineProbe(environment)).toBe(isAsked);
  });
});
