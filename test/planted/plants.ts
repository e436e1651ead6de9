/**
 * The planted bugs: what is wrong in each, by its patch, and which invariants' checkers must cry.
 * Numbers up to 29 are those of the design's list; README.md says which of them are missing and why.
 */

/** One planted bug. */
export interface Plant {
  readonly number: number;
  readonly name: string;
  /** File in this folder: a unified diff against `src`, under a header that says what it does. */
  readonly patch: string;
  /** One of them must be named by what the simulation reports. */
  readonly invariants: readonly string[];
}

/** See the file header. */
export const plants: readonly Plant[] = [
  plant(1, 'no-epoch-check', 'INV-10', 'INV-12'),
  plant(2, 'epoch-read-before-the-transaction', 'INV-10', 'INV-12'),
  plant(3, 'reply-before-commit', 'INV-14'),
  plant(4, 'offset-before-the-commit', 'INV-11'),
  plant(5, 'resume-from-the-kafka-offset', 'INV-11', 'INV-31'),
  plant(6, 'duplicate-without-progress', 'INV-31', 'INV-32'),
  plant(7, 'dedup-key-without-app', 'INV-4', 'INV-30'),
  plant(8, 'dedup-before-the-queue-only', 'INV-1', 'INV-2', 'INV-4'),
  plant(9, 'other-payload-answered', 'INV-4'),
  plant(10, 'unknown-commit-taken-as-failed', 'INV-11', 'INV-3', 'INV-4'),
  plant(11, 'unknown-commit-taken-as-done', 'INV-1', 'INV-14'),
  plant(12, 'lock-wait-then-commit', 'INV-1', 'INV-5', 'INV-9', 'INV-14'),
  plant(13, 'statement-retry-after-deadlock', 'INV-1', 'INV-9', 'INV-14', 'INV-20'),
  plant(14, 'fenced-cell-keeps-its-memory', 'INV-3', 'INV-4', 'INV-6', 'INV-7', 'INV-8', 'INV-12'),
  plant(15, 'debit-key-per-try', 'INV-22'),
  plant(16, 'debit-behind-the-commit', 'INV-22'),
  plant(17, 'outbox-mark-without-claim', 'INV-19', 'INV-21'),
  plant(18, 'rows-of-a-room-in-parallel', 'INV-17'),
  plant(19, 'id-above-last-seen', 'INV-16', 'INV-17', 'INV-21', 'INV-31'),
  plant(20, 'delivering-never-freed', 'INV-16', 'INV-31'),
  plant(21, 'try-counter-in-memory', 'INV-16', 'INV-19'),
  plant(22, 'old-mic-session-taken-down', 'INV-27'),
  plant(23, 'rtc-exit-clears-presence', 'INV-8', 'INV-29'),
  plant(24, 'kick-without-ban-in-the-snapshot', 'INV-8'),
  plant(25, 'count-by-one', 'INV-9', 'INV-29', 'INV-8'),
  plant(26, 'claim-deadline-on-the-wall-clock', 'INV-21'),
  plant(27, 'release-without-compare', 'INV-10', 'INV-31'),
  plant(28, 'snapshot-at-the-wrong-version', 'INV-5', 'INV-8'),
  plant(29, 'refusal-without-a-mark', 'INV-4', 'INV-11'),
  plant(30, 'wallet-asked-without-ownership', 'INV-22'),
  plant(31, 'gifts-of-a-former-owner-taken-for-untouched', 'INV-22'),
  plant(32, 'refused-gift-without-settlement', 'INV-22'),
  plant(33, 'settlement-marked-before-the-void', 'INV-22'),
  plant(34, 'second-run-of-a-room', 'INV-17', 'INV-21'),
  plant(35, 'delivered-before-it-is-sent', 'INV-16', 'INV-17'),
  plant(36, 'expired-command-started', 'INV-15'),
  plant(37, 'expiry-before-idempotency', 'INV-15'),
  plant(38, 'correlation-without-incarnation', 'INV-13', 'INV-4', 'INV-14', 'INV-11', 'INV-15'),
  plant(39, 'time-out-taken-for-not-sent', 'INV-3'),
  plant(40, 'redelivered-records-executed', 'INV-2', 'INV-11', 'INV-35'),
  plant(41, 'settled-offset-without-progress', 'INV-31', 'INV-32'),
  plant(42, 'chain-not-advanced-within-a-batch', 'INV-5'),
  plant(43, 'put-back-at-the-end', 'INV-6', 'INV-10'),
  plant(44, 'split-batch-overtakes', 'INV-6', 'INV-10'),
  plant(45, 'kept-partitions-not-confirmed', 'INV-31', 'INV-32'),
  plant(46, 'due-rooms-not-woken', 'INV-31', 'INV-32'),
  plant(47, 'running-rebuild-shared', 'INV-7'),
  plant(48, 'not-executed-said-too-early', 'INV-4'),
  plant(49, 'old-mic-session-confirmed', 'INV-27'),
  plant(50, 'leaver-keeps-the-seat', 'INV-26'),
  plant(51, 'closed-room-holds-users', 'INV-28', 'INV-29', 'INV-8'),
  plant(52, 'sums-of-the-first-target-only', 'INV-23'),
  plant(53, 'try-not-noted', 'INV-31'),
  plant(54, 'commit-without-rows-taken-as-done', 'INV-4', 'INV-11'),
  plant(55, 'token-only-when-redis-answers', 'INV-12'),
  plant(56, 'activity-row-forgotten', 'INV-9'),
  plant(57, 'rtc-event-by-arrival', 'INV-27'),
  plant(58, 'locked-seat-taken', 'INV-26'),
  plant(59, 'heartbeats-not-heard', 'INV-41'),
  plant(60, 'window-not-begun-anew', 'INV-41'),
  plant(61, 'wrong-password-not-counted', 'INV-40'),
  plant(62, 'ban-ends-early', 'INV-28'),
  plant(63, 'deleted-room-still-listed', 'INV-8'),
  plant(64, 'stale-user-still-found', 'INV-29'),
  plant(65, 'request-outlives-its-user', 'INV-8', 'INV-26'),
  plant(66, 'new-admin-without-place', 'INV-8'),
  plant(67, 'epoch-not-confirmed-for-reads', 'INV-42'),
  plant(68, 'read-does-not-wait-for-the-commit', 'INV-42'),
  plant(69, 'event-of-a-later-release', 'INV-43'),
  plant(70, 'command-of-a-later-release', 'INV-43'),
  plant(71, 'watch-goes-on-one-late', 'INV-44'),
  plant(72, 'watchers-told-before-commit', 'INV-44'),
  plant(73, 'standing-watch-never-asked', 'INV-44'),
  plant(74, 'gap-of-a-watch-not-filled', 'INV-44'),
  plant(75, 'put-out-without-asking', 'INV-45'),
  plant(76, 'removal-not-tried-again', 'INV-45'),
  plant(77, 'week-of-the-arrival', 'INV-23'),
  plant(78, 'list-stamp-behind-the-read', 'INV-46'),
  plant(83, 'log-cut-at-the-newest-snapshot', 'INV-47'),
  plant(84, 'event-of-a-failed-row-removed', 'INV-47'),
  plant(85, 'failed-row-passed-over', 'INV-17', 'INV-21'),
  plant(90, 'shown-before-commit', 'INV-48'),
  plant(91, 'gathered-counts-forgotten', 'INV-48'),
  plant(92, 'window-ends-with-its-first', 'INV-48'),
  plant(97, 'draw-key-of-the-owner', 'INV-24'),
  plant(98, 'one-prize-key-for-all', 'INV-24'),
  plant(99, 'pending-prize-without-row', 'INV-24'),
  plant(100, 'prize-marked-before-it-is-paid', 'INV-24'),
  plant(104, 'fuel-of-one-target-only', 'INV-23'),
  plant(105, 'launch-that-opens-no-round', 'INV-31'),
  plant(106, 'launch-that-nobody-waits-for', 'INV-23'),
  plant(110, 'sums-added-on-a-board', 'INV-50'),
  plant(115, 'former-robot-obeyed', 'INV-51'),
  plant(117, 'gift-of-a-robot-counted', 'INV-51'),
  plant(118, 'robots-stay-for-ever', 'INV-51'),
  plant(120, 'unban-of-the-banned-only', 'INV-52'),
];

function plant(number: number, name: string, ...invariants: readonly string[]): Plant {
  const patch = `${String(number).padStart(2, '0')}-${name}.patch`;
  return { number, name, patch, invariants };
}
