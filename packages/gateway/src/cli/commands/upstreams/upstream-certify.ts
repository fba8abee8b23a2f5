// `upstream certify ID`: says what it costs, asks, runs one part after the other, and shows the table.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describeSystemError } from '../../../config/system-error.ts'
import { formatUsd, type Nanos, parseUsd } from '../../../money/amount.ts'
import type { Certification } from '../../../operate/upstreams/certify.ts'
import { RESULTS } from '../../../upstreams/certification/check.ts'
import type { Arguments } from '../../args.ts'
import { CommandError, UsageError } from '../../errors.ts'
import { table } from '../../table.ts'

type Part = Certification['parts'][number]
/** As --json prints it, and as `upstreams/certified/` keeps it. `server`: null: not said. */
export type Certificate = Omit<Certification, 'recordings' | 'parts'> & { server: string | null }

/** Part by part, so that progress is seen and what was spent is booked, even if somebody ends it. */
export async function certifyInParts(
  run: (more: object) => Promise<unknown>,
  { values: { record: folder, server, 'max-cost': most }, flags }: Arguments,
): Promise<Certificate> {
  const cap = most === undefined ? undefined : usd(most)
  if (folder !== undefined) makeFolder(folder)
  const { parts, recordings: _, ...estimate } = (await run({ estimate: true })) as Certification
  say(`${intent(estimate)}\n`)
  if (cap !== undefined) checkCost(estimate.cost_at_most_usd, cap)
  if (!flags.has('yes')) await confirm()
  let sum: Certificate = { ...estimate, models: [], server: server ?? null }
  for (const part of parts) {
    say(`${part.part}: ${bound(part)} ...`)
    const of = folder === undefined ? {} : { record: true }
    const { recordings, parts: _, ...done } = (await run({ part: part.part, ...of })) as Certification
    sum = added(sum, done)
    say(` ${countsOf(done.checks)}\n`)
    for (const { file, text } of recordings) if (folder !== undefined) write(join(folder, file), text)
  }
  if (folder !== undefined) write(join(folder, 'table.json'), `${JSON.stringify(sum, null, 2)}\n`)
  return sum
}

/** Standard output is for the result alone. */
const say = (text: string) => process.stderr.write(text)

const bound = ({ calls, cost_at_most_usd: most }: Pick<Part, 'calls' | 'cost_at_most_usd'>): string =>
  `${calls} calls, ${most === null ? 'of unknown cost' : `at most ${most} USD`}`

function intent(estimate: Omit<Certification, 'parts' | 'recordings'>): string {
  const { upstream, kind, models } = estimate
  const named = models.map(({ type, model }) => `${model} (${type})`).join(', ')
  const lacks = estimate.cost_at_most_usd === null ? '; a model has no price here' : ''
  return `Certifying ${upstream} (${kind})${named && ` with ${named}`}: ${bound(estimate)}${lacks}, at your expense.`
}

function usd(text: string): Nanos {
  const amount = parseUsd(text)
  if (amount === undefined) throw new UsageError(`--max-cost must be an amount in USD, such as 0.50, not '${text}'`)
  return amount
}

function checkCost(most: string | null, cap: Nanos): void {
  if (most === null)
    throw new CommandError('nothing was called: what it can cost is not known, since a model has no price here')
  if ((parseUsd(most) ?? 0n) > cap)
    throw new CommandError(`nothing was called: it could cost ${most} USD, more than --max-cost ${formatUsd(cap)}`)
}

/** Reads one line, from a terminal or a pipe. */
async function confirm(): Promise<void> {
  const lines = createInterface({ input: process.stdin })
  say('Continue? [y/N] ')
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(undefined))
  })
  lines.close()
  if (answer === undefined) throw new UsageError('nothing was called: add --yes where nobody can be asked')
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CommandError('nothing was called')
}

function added(sum: Certificate, part: Omit<Certificate, 'server'>): Certificate {
  const known = [sum.cost_usd, part.cost_usd].flatMap((each) => (each === null ? [] : (parseUsd(each) ?? 0n)))
  return {
    ...sum,
    models: [...sum.models, ...part.models.filter(({ type }) => !sum.models.some((each) => each.type === type))],
    ok: sum.ok && part.ok,
    cost_usd: known.length === 0 ? null : formatUsd(known.reduce((one, other) => one + other)),
    unknown_costs: sum.unknown_costs + part.unknown_costs,
    booked: sum.booked || part.booked,
    checks: [...sum.checks, ...part.checks],
  }
}

const countsOf = (checks: Certificate['checks']): string =>
  RESULTS.map((result) => [checks.filter((check) => check.result === result).length, result] as const)
    .filter(([count]) => count > 0)
    .map(([count, result]) => `${count} ${result}`)
    .join(', ')

export function showCertification(result: unknown): string {
  const done = result as Certificate
  const { upstream, kind, server, date, trivium, models, checks, cost_usd, unknown_costs, booked } = done
  const of = models.map(({ model }) => model).join(', ')
  const unknown = unknown_costs > 0 ? `; of ${unknown_costs} calls it is not known` : ''
  const where = booked ? ', booked to the ledger account tests' : ''
  return [
    `${upstream} (${server ?? kind})${of && ` with ${of}`}, ${date}, Trivium ${trivium}\n\n`,
    table<Certificate['checks'][number]>(
      [
        { title: 'part', cell: ({ part }) => part },
        { title: 'check', cell: ({ check }) => check },
        { title: 'result', cell: ({ result }) => result },
        { title: 'reason', cell: ({ reason }) => reason },
      ],
      checks,
    ),
    `\n${countsOf(checks)}. Cost: ${cost_usd === null ? 'not known' : `${cost_usd} USD${where}${unknown}`}.\n`,
  ].join('')
}

/** Before anything is called. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new UsageError(`--record: cannot create the folder ${folder}: ${describeSystemError(error)}`)
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
