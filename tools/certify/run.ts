// bun tools/certify/run.ts: certifies each upstream of the environment and of trivium.yaml, at the expense of whose keys they are, and
// keeps the tables (packages/gateway/src/upstreams/certified). The workflow `certify` runs it at night.
//   CERTIFY_MAX_USD   the most that all certifications together may cost (1)

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatUsd, parseUsd } from '../../packages/gateway/src/money/amount.ts'
import { KINDS } from '../../packages/gateway/src/upstreams/kinds/index.ts'
import { certificateList } from './certificate-list.ts'

const ROOT = join(import.meta.dir, '../..')
const CERTIFIED = join(ROOT, 'packages/gateway/src/upstreams/certified')
const MAIN = join(ROOT, 'packages/gateway/src/main.ts')
type Listed = { id: string; kind: string; keys: number }
type Table = { cost_usd: string | null; cost_at_most_usd: string | null; checks: object[] }

async function trivium<T>(...args: string[]): Promise<T | undefined> {
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, ...args, '--json'], {
    cwd: ROOT,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const text = await child.stdout.text()
  await child.exited
  // A failed check is a result, too: the table says so.
  return text === '' ? undefined : (JSON.parse(text) as T)
}

let left = parseUsd(process.env.CERTIFY_MAX_USD ?? '1')
if (left === undefined) throw new Error('CERTIFY_MAX_USD must be an amount in USD, such as 0.50')
const listed = (await trivium<Listed[]>('upstream', 'list')) ?? []
// Servers of one's own have no vendor.
const upstreams = listed.filter(({ kind, keys }) => keys > 0 && KINDS.has(kind) && !KINDS.get(kind)?.keyless)
let failed = 0
for (const { id, kind } of upstreams) {
  const table = await trivium<Table>('upstream', 'certify', id, '--yes', '--max-cost', formatUsd(left))
  if (!table || table.checks.length === 0) failed++
  else {
    left -= parseUsd(table.cost_usd ?? table.cost_at_most_usd ?? '0') ?? 0n
    writeFileSync(join(CERTIFIED, `${kind}.json`), `${JSON.stringify(table, null, 2)}\n`)
  }
}
const files = readdirSync(CERTIFIED).filter((name) => name.endsWith('.json'))
const index = join(CERTIFIED, 'index.ts')
writeFileSync(index, certificateList(await Bun.file(index).text(), files))
console.log(
  `certified ${upstreams.length - failed} upstreams, ${failed} not; ${formatUsd(left)} USD of the cap are left`,
)
process.exit(failed === 0 ? 0 : 1)
