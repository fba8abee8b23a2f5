// A scenario, and how it reports violations.

import { type Random, seeded } from '../tools/simulation/random.ts'
import type { Size } from './sizes.ts'

export type Options = {
  size: Size
  /** A seed repeats all random decisions, but not the timing. */
  seed: number
  /** The number of rounds; absent: as torture/sizes.ts says. */
  rounds: number | undefined
  say(line: string): void
}

export type Torture = Options & { random: Random; findings: Findings }

export type Scenario = {
  name: string
  title: string
  /** Resolves with a summary of one line. Violations are added to the findings. */
  run(torture: Torture): Promise<string>
}

export type Findings = {
  readonly all: readonly string[]
  add(finding: string): void
  /** Adds the finding unless the condition holds. */
  must(holds: boolean, finding: string | (() => string)): void
}

/** A bug tends to show in every round: the first findings suffice. */
const MOST_FINDINGS = 40

export function openFindings(say: (line: string) => void = () => {}): Findings {
  const all: string[] = []
  const add = (finding: string) => {
    if (all.length >= MOST_FINDINGS) return
    all.push(finding)
    say(`  VIOLATION: ${finding}${all.length === MOST_FINDINGS ? ' ... and more' : ''}`)
  }
  return {
    all,
    add,
    must(holds, finding) {
      if (!holds) add(typeof finding === 'string' ? finding : finding())
    },
  }
}

export async function perform(scenario: Scenario, options: Options): Promise<{ line: string; findings: Findings }> {
  const findings = openFindings(options.say)
  try {
    const line = await scenario.run({ ...options, random: seeded(options.seed), findings })
    return { line, findings }
  } catch (error) {
    findings.add(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return { line: 'broke off', findings }
  }
}

/** Repeats the check for a while, and adds the findings that remain. */
export async function settledWithin(ms: number, look: () => Promise<Findings>, into: Findings): Promise<void> {
  const end = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found.all.length === 0) return
    if (performance.now() > end) return found.all.forEach((each) => void into.add(each))
    await Bun.sleep(200)
  }
}
