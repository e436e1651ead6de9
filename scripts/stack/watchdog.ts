/**
 * The stack's last resort. A tiny shell process waits at the end of a pipe that only this process
 * holds; when this process ends in whatever way, also by SIGKILL, the pipe closes, and the shell
 * ends the servers it was told of and removes the run's folder.
 */
import { spawn } from 'node:child_process';

/** It ignores the terminal's signals: on Ctrl-C the orderly stop comes first. */
const SCRIPT = `
trap '' INT TERM HUP
pids=''
while read -r verb pid; do
  case $verb in
    watch) pids="$pids $pid" ;;
    forget) kept=''; for each in $pids; do [ "$each" = "$pid" ] || kept="$kept $each"; done; pids=$kept ;;
  esac
done
[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
tries=0
while [ $tries -lt 50 ] && ! rm -rf "$1" 2>/dev/null; do tries=$((tries + 1)); sleep 0.1; done
`;

/** See the file header. */
export interface Watchdog {
  /** From now on `pid` ends when this process ends. */
  watch(pid: number): void;
  /** `pid` has ended; its number may come to belong to somebody else. */
  forget(pid: number): void;
  /** Lets the watchdog do its work now and go: kills what is still watched, removes the folder. */
  dismiss(): Promise<void>;
}

/** Starts a watchdog that removes `runFolder` at the end. */
export function startWatchdog(runFolder: string): Watchdog {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'roomcell-watchdog', runFolder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((settle) => {
    child.once('exit', () => settle());
    child.once('error', () => settle());
  });
  // A watchdog that died must not take us along; its loss only costs the clean-up after a crash.
  child.stdin.on('error', () => undefined);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return {
    watch: (pid) => void child.stdin.write(`watch ${pid}\n`),
    forget: (pid) => void child.stdin.write(`forget ${pid}\n`),
    dismiss: async () => {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}
