// What a scenario is, and how it tells what went wrong.

import { type Random, seeded } from '../packages/gateway/src/money/simulation/random.ts'
import type { Size } from './sizes.ts'

export type Options = {
  size: Size
  /** The same seed takes the same decisions; what the machine does in between stays its own. */
  seed: number
  /** How often the scenario's main thing happens; absent: as the size says. */
  rounds: number | undefined
  say(line: string): void
}

export type Torture = Options & { random: Random; findings: Findings }

export type Scenario = {
  name: string
  title: string
  /** Resolves with one line: what was done and seen. What must not be is put down in the findings. */
  run(torture: Torture): Promise<string>
}

export type Findings = {
  readonly all: readonly string[]
  add(finding: string): void
  /** Puts it down unless it holds. */
  must(holds: boolean, finding: string | (() => string)): void
}

/** A bug tends to show in every round: the first ones tell enough. */
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

/** As many times as it takes, for a while: what is left of the findings then is put down. */
export async function settledWithin(ms: number, look: () => Promise<Findings>, into: Findings): Promise<void> {
  const end = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found.all.length === 0) return
    if (performance.now() > end) return found.all.forEach((each) => void into.add(each))
    await Bun.sleep(200)
  }
}
