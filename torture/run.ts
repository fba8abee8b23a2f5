// `npm run torture`: crashes, races and faults that could affect the ledger, on real gateways. Everything runs locally.
//
//   npm run torture -- --only crash-sqlite,race     these scenarios       --seed N      the decisions of an earlier run
//   npm run torture -- --size small                 as in the tests       --rounds N    more or fewer than usual
//   npm run torture -- --help                       lists the scenarios
import { parseArgs } from 'node:util'
import { perform } from './scenario.ts'
import { SCENARIOS } from './scenarios/index.ts'
import type { Size } from './sizes.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: { only: text, seed: text, size: text, rounds: text, help: { type: 'boolean' } },
})
const names = SCENARIOS.map(({ name }) => name)
if (values.help) help()
const wanted = values.only?.split(',') ?? names
for (const name of wanted) if (!names.includes(name)) stop(`no scenario ${name}; there are ${names.join(', ')}`)
if (values.size !== undefined && values.size !== 'small' && values.size !== 'full') stop('--size takes small or full')
const size: Size = values.size === 'small' ? 'small' : 'full'
const seed = whole('seed') ?? Math.floor(Math.random() * 1_000_000)
const rounds = whole('rounds')

function whole(name: 'seed' | 'rounds'): number | undefined {
  const given = values[name]
  if (given !== undefined && !/^\d{1,9}$/.test(given)) stop(`--${name} takes a whole number`)
  return given === undefined ? undefined : Number(given)
}

function help(): never {
  const width = Math.max(...names.map(({ length }) => length)) + 2
  console.log(`npm run torture -- [--only NAME,NAME] [--seed N] [--size small|full] [--rounds N]

Scenarios, each in its long form unless --size small is given, which is what npm run test:all runs:
${SCENARIOS.map(({ name, title }) => `  ${name.padEnd(width)}${title}`).join('\n')}

npm run faults is the long form of the faults of upstreams. torture/README.md says what must hold.`)
  process.exit(0)
}

function stop(why: string): never {
  console.error(`torture: ${why}`)
  process.exit(1)
}

const say = (line: string) => console.log(line)
let violated = 0
say(`seed ${seed}, size ${size}`)
for (const scenario of SCENARIOS.filter(({ name }) => wanted.includes(name))) {
  say(`${scenario.name}: ${scenario.title}`)
  const began = performance.now()
  const { line, findings } = await perform(scenario, { size, seed, rounds, say })
  const seconds = ((performance.now() - began) / 1_000).toFixed(0)
  const broken = findings.all.length
  violated += broken
  say(`${broken === 0 ? 'ok' : 'FAILED'} ${scenario.name} (${seconds} s): ${line}`)
  if (broken > 0) say(`  replay: npm run torture -- --only ${scenario.name} --seed ${seed} --size ${size}`)
}
say(violated === 0 ? 'all rules held' : `${violated} violations`)
// Servers of a scenario that failed half-way must not keep the run open.
process.exit(violated === 0 ? 0 : 1)
