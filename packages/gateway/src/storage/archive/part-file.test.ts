import { expect, test } from 'bun:test'
import { toUsageRow } from '../ledger.ts'
import { COUNTED_COLUMNS } from '../sql/budgets/rows.ts'
import { COLUMNS, decodeBlock, openPart } from './part-file.ts'

const ROW = {
  ...Object.fromEntries(COLUMNS.request.map((column) => [column, 0n])),
  id: 7n,
  model: 'm',
  upstream: 'u',
  outcome: 'completed',
  receipt: '',
  budgets: '1,2',
  tags: 'a,b=c',
  end_user: 'u_1',
  session: 's',
}

test('what a request counted against is in the file', async () => {
  const part = await openPart('request')
  await part.add([ROW])
  const [block] = part.blocks
  const [row = {}] = await decodeBlock('request', part.end().bytes.subarray(block?.start, block?.end))
  expect(toUsageRow(row)).toMatchObject({ budgets: [1n, 2n], tags: ['a', 'b=c'], endUser: 'u_1', session: 's' })
})

test('a file of an earlier version, which ends before these columns, is read without them', async () => {
  const columns = COLUMNS.request.filter((column) => !COUNTED_COLUMNS.some((counted) => counted === column))
  const line = JSON.stringify(
    columns
      .map((column) => (ROW as Record<string, unknown>)[column])
      .map((value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
  const [row = {}] = await decodeBlock('request', await Bun.zstdCompress(`${line}\n`))
  expect(toUsageRow(row)).toMatchObject({ request: 7n, budgets: [], tags: [], endUser: '', session: '' })
})
