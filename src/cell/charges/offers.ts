/**
 * What gifts cost, as this node remembers it: a version of a gift never changes, and which one is
 * sold now is asked again after a moment. A new price counts within that moment on every node; until
 * then gifts are sold, charged and recorded at the version before (GIFT-1).
 */
import type { AppCode, GiftId } from '../../domain/ids.ts';
import type { CatalogueGift } from '../../ports/gift-catalogue.ts';
import type { CellContext } from '../cell-context.ts';

/** How long an answer to "what is sold now" counts. */
const currentForMs = 1_000;
/** Entries of each kind; when there are more, all are forgotten and read again. */
const entriesMax = 5_000;

interface Current {
  readonly gift: CatalogueGift | null;
  readonly untilMonoMs: number;
}

/** See the file header. Both methods throw a Retry failure while MySQL is away. */
export class Offers {
  private readonly context: CellContext;
  private readonly sold = new Map<string, Current>();
  private readonly versions = new Map<string, CatalogueGift>();

  constructor(context: CellContext) {
    this.context = context;
  }

  /** The newest version of a gift, at most a moment old; null: the app never had it. */
  async current(appCode: AppCode, giftId: GiftId): Promise<CatalogueGift | null> {
    const { catalogue, clock } = this.context;
    const name = `${appCode}/${giftId}`;
    const known = this.sold.get(name);
    if (known !== undefined && clock.monoMs() < known.untilMonoMs) return known.gift;
    const gift = await catalogue.current(appCode, giftId);
    if (this.sold.size >= entriesMax) this.sold.clear();
    this.sold.set(name, { gift, untilMonoMs: clock.monoMs() + currentForMs });
    if (gift !== null) this.remember(appCode, gift);
    return gift;
  }

  /** One version of a gift; null: there is none. */
  async version(
    appCode: AppCode,
    giftId: GiftId,
    catalogueVersion: bigint,
  ): Promise<CatalogueGift | null> {
    const known = this.versions.get(nameOf(appCode, giftId, catalogueVersion));
    if (known !== undefined) return known;
    const gift = await this.context.catalogue.version(appCode, giftId, catalogueVersion);
    if (gift !== null) this.remember(appCode, gift);
    return gift;
  }

  private remember(appCode: AppCode, gift: CatalogueGift): void {
    if (this.versions.size >= entriesMax) this.versions.clear();
    this.versions.set(nameOf(appCode, gift.giftId, gift.catalogueVersion), gift);
  }
}

function nameOf(appCode: AppCode, giftId: GiftId, catalogueVersion: bigint): string {
  return `${appCode}/${giftId}/${catalogueVersion}`;
}
