// What a scenario is, and what it hands to the report.

export type BenchOptions = {
  rounds: number
  /** Shorter and rougher: to see that it works, not to publish. */
  quick: boolean
  /** Another checkout, whose gateway is measured in the same rounds. */
  beside?: string | undefined
  say(line: string): void
}

/** A target of the project, beside what was measured. */
export type Verdict = { target: string; limit: string; measured: string; met: boolean }

export type Outcome = { columns: readonly string[]; rows: readonly (readonly string[])[]; verdicts: readonly Verdict[] }

export type Scenario = { number: number; title: string; run(options: BenchOptions): Promise<Outcome> }

export function verdict(target: string, measured: number, limit: number, show: (value: number) => string): Verdict {
  return { target, limit: `at most ${show(limit)}`, measured: show(measured), met: measured <= limit }
}

export const times = (value: number): string => `${value.toFixed(2)} x`
export const micros = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} us`
export const millis = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`
