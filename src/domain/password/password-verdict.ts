/** The gateway's password check, which holds for one version of the password only (decision 23). */
export interface PasswordVerdict {
  readonly passwordVersion: bigint;
  readonly verdict: 'none_given' | 'match' | 'mismatch';
}
