/**
 * What the memory broker does wrong on demand: a queue of faults, each of which happens once, to the
 * first call that it fits. The contract suite brings the same about on a real broker, each under the
 * name of its behaviour, so that the twin's lies are the service's lies.
 *
 * These are not faults of the queue but calls: a broker or a client out of reach (`setReach`), a
 * frozen process (`setReach('frozen')`), a log whose start has moved (`moveStart`), a topic made
 * anew (`recreateTopic`), offsets that hold no record (`skipOffsets`), a group offset that went back
 * (`rewind`), a session that runs out (time passes).
 *
 * Nothing on a real broker with the present drivers brings these about at will:
 * - `ackWithoutStore` needs a leader that dies before its followers have the record;
 * - `badBytes` needs a broken disk or sender (the suite writes junk instead);
 * - `lateBatch` and `redelivery` at a command source: its partition book drops such batches. The port
 *   does not promise that, and another client library would show them;
 * - `staleCommitAccepted` for a member that the group has expelled: real groups refuse that one, and
 *   accept the commit of a living member for a partition that it has lost, as this broker always
 *   does;
 * - `nothingAssigned` while there are partitions enough: the rule of assignment prevents it. A member
 *   more than there are partitions has nothing as well, on both.
 */

/** One fault. `client` is the name under which a process connects. */
export type BrokerFault =
  /** The records are stored, the answer is lost. */
  | { readonly kind: 'ackLost'; readonly topic: string }
  /** Nothing is stored; the sender can tell (`isCertain`) or cannot. */
  | { readonly kind: 'notStored'; readonly topic: string; readonly isCertain: boolean }
  /** The client tried again behind a lost answer: everything is there twice, the answer is good. */
  | { readonly kind: 'storedTwice'; readonly topic: string }
  /** Acknowledged by a leader that died: only for senders that ask no more than the leader. */
  | { readonly kind: 'ackWithoutStore'; readonly topic: string }
  /** One bit of the first value of a send is another in the log. */
  | { readonly kind: 'badBytes'; readonly topic: string }
  /** A commit counts although its sender is no member, or one of an older generation. */
  | { readonly kind: 'staleCommitAccepted'; readonly groupId: string }
  /** The next rebalance leaves this member without partitions. */
  | { readonly kind: 'nothingAssigned'; readonly groupId: string; readonly instanceName: string }
  /** The next batch stays in hand, and is handed over only after the pause or the loss was told. */
  | {
      readonly kind: 'lateBatch';
      readonly client: string;
      readonly partition: number;
      readonly after: 'pause' | 'loss';
    }
  /** In front of its next batch the reader gets all records from an older offset on, again. */
  | {
      readonly kind: 'redelivery';
      readonly client: string;
      readonly partition: number;
      readonly fromOffset: bigint;
    };

type FaultKind = BrokerFault['kind'];
type FaultOf<K extends FaultKind> = Extract<BrokerFault, { readonly kind: K }>;

/** See the file header. */
export class BrokerFaults {
  /** Told of each fault when a call meets it, which may be long after it was added. */
  onMet: (fault: BrokerFault) => void = () => undefined;
  private readonly waiting: BrokerFault[] = [];

  /** The next call that it fits meets it. */
  add(fault: BrokerFault): void {
    this.waiting.push(fault);
  }

  /** Takes the oldest fault of these kinds that fits; null when there is none. */
  take<K extends FaultKind>(
    kinds: readonly K[],
    fits: (fault: FaultOf<K>) => boolean,
  ): FaultOf<K> | null {
    const at = this.waiting.findIndex(
      (fault) => (kinds as readonly FaultKind[]).includes(fault.kind) && fits(fault as FaultOf<K>),
    );
    if (at < 0) return null;
    const [fault] = this.waiting.splice(at, 1);
    if (fault === undefined) return null;
    this.onMet(fault);
    return fault as FaultOf<K>;
  }

  /** Forgets what nothing has met yet. */
  clear(): void {
    this.waiting.length = 0;
  }

  /** Faults that nothing has met yet. A test that ends with some has not tested what it says. */
  get unmet(): readonly BrokerFault[] {
    return this.waiting;
  }
}
