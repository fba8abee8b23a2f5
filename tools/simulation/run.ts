// npm run simulate -- [--seeds 10000] [--from 1] [--steps 300], or one seed with its story: --seed N [--without crash,...]
import { parseArgs } from 'node:util'
import { FAULTS } from './faults.ts'
import { type Failure, STEPS, shrink, simulate } from './simulate.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { seeds: text, from: text, seed: text, steps: text, without: text } })
const steps = number('steps', STEPS)
const names = values.without?.split(',') ?? []
const without = FAULTS.filter((fault) => names.includes(fault))
if (names.length !== without.length) fail(`--without takes some of ${FAULTS.join(',')}`)

if (values.seed === undefined) runMany(number('from', 1), number('seeds', 10_000))
else tell(number('seed', 1))

function number(name: 'seeds' | 'from' | 'seed' | 'steps', otherwise: number): number {
  const given = values[name] ?? String(otherwise)
  if (!/^\d{1,9}$/.test(given)) fail(`--${name} takes a whole number`)
  return Number(given)
}

function runMany(from: number, seeds: number): void {
  const began = performance.now()
  let failures = 0
  for (let seed = from; seed < from + seeds; seed += 1) {
    const failure = simulate({ seed, steps, without })
    if (!failure) continue
    failures += 1
    if (failures > 5) continue
    console.log(`seed ${seed}: ${failure.rule}`)
    console.log(`  replay: ${replay(failure)}\n  shrunk: ${replay(shrink(failure))}`)
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  console.log(`${seeds} seeds from ${from}, ${steps} steps each, ${failures} failed, ${seconds} s`)
  process.exitCode = failures > 0 ? 1 : 0
}

function tell(seed: number): void {
  const failure = simulate({ seed, steps, without, trace: (line) => console.log(line) })
  console.log(failure ? `seed ${seed} fails: ${failure.rule}` : `seed ${seed}: all rules held`)
  process.exitCode = failure ? 1 : 0
}

function replay(failure: Failure): string {
  const less = failure.without.length > 0 ? ` --without ${failure.without.join(',')}` : ''
  return `npm run simulate -- --seed ${failure.seed} --steps ${failure.steps}${less}`
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
