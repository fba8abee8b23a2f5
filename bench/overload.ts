// `npm run overload`: how the gateway behaves under overload and when all upstreams fail. All traffic stays on this
// machine and is bounded in count and time; about five minutes in all. A target that is missed is shown as "over".
//
//   npm run overload -- --only 1,3     these parts        --quick     shorter and less exact
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Finished, machine, tables, writeInto } from './harness/report.ts'
import { candidates } from './scenarios/overload/candidates.ts'
import { capacity } from './scenarios/overload/capacity.ts'
import { storms } from './scenarios/overload/storm.ts'

const PARTS = [storms, capacity, candidates]
const REPORT = join(import.meta.dir, '../docs/decisions/measured-overload.md')

const { values } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean' } } })
const wanted = values.only?.split(',').map(Number) ?? PARTS.map(({ number }) => number)
for (const number of wanted) {
  if (PARTS.some((part) => part.number === number)) continue
  console.error(`overload: no part ${number}`)
  process.exit(1)
}
const options = { rounds: 1, quick: values.quick === true, say: (line: string) => console.error(line) }
const finished: Finished[] = []
for (const scenario of PARTS.filter(({ number }) => wanted.includes(number))) {
  options.say(`${scenario.number}. ${scenario.title}`)
  finished.push({ scenario, outcome: await scenario.run(options) })
}
const circumstances = `${machine()}, Bun ${Bun.version}. Gateway, upstreams and load share it.`
const text = `${circumstances}\n\n${tables(finished)}`
console.log(text)
if (values.only === undefined && !options.quick) {
  writeInto(REPORT, text, 'overload')
  options.say(`written to ${REPORT}`)
} else options.say('a part of it, or a quick run: docs/decisions/measured-overload.md is left as it is')
process.exit(0)
