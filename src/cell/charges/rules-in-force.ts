/**
 * The rocket's rules as this node remembers them: asked anew after a moment, so that a new version
 * counts within that moment on every node. Until then gifts are recorded under the version before.
 */
import type { AppCode } from '../../domain/ids.ts';
import type { RocketRules } from '../../domain/rocket/rocket-rules.ts';
import type { CellContext } from '../cell-context.ts';
import { retryForever } from '../retry-forever.ts';

/** How long an answer counts. */
const currentForMs = 1_000;
/** Apps remembered; when there are more, all are forgotten and read again. */
const appsMax = 1_000;

interface Known {
  readonly rules: RocketRules | null;
  readonly untilMonoMs: number;
}

/** See the file header. */
export class RulesInForce {
  private readonly context: CellContext;
  private readonly known = new Map<AppCode, Known>();

  constructor(context: CellContext) {
    this.context = context;
  }

  /**
   * The newest version, at most a moment old; null: the app never had one. Asks until MySQL answers,
   * as the gift could not be committed without it either; undefined: `stillWanted` said no meanwhile.
   */
  async read(
    appCode: AppCode,
    stillWanted: () => boolean,
  ): Promise<RocketRules | null | undefined> {
    const { clock, rocketRules } = this.context;
    const known = this.known.get(appCode);
    if (known !== undefined && clock.monoMs() < known.untilMonoMs) return known.rules;
    const answer = await retryForever(this.context, 'read rocket rules', stillWanted, async () => ({
      rules: await rocketRules.current(appCode),
    }));
    if (answer === null) return undefined;
    if (this.known.size >= appsMax) this.known.clear();
    this.known.set(appCode, { ...answer, untilMonoMs: clock.monoMs() + currentForMs });
    return answer.rules;
  }
}
