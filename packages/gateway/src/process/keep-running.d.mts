export declare const UNCAUGHT_ERROR: number

export declare function crashLine(message: string, isTerminal: boolean, format: string | undefined): string

export type KeepRunningOptions = {
  /** `ready` is called when the server is. `exited` gives its exit code: 128 and more stand for signals. */
  start(ready: () => void): { kill(signal: NodeJS.Signals): void; exited: Promise<number> }
  exit(code: number): void
  report(message: string): void
  times?: { firstDelayMs: number; maxDelayMs: number; steadyMs: number }
}

export declare function keepRunning(options: KeepRunningOptions): { signal(name: NodeJS.Signals): void }
