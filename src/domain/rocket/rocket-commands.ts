/** What the room's owner node asks of a rocket. */

/** LaunchRocket (CMD-25): the countdown of this round is over. Too early, late or twice: nothing. */
export interface LaunchRocket {
  readonly type: 'LaunchRocket';
  readonly roundNo: bigint;
}
