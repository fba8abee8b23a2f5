import { expect, test } from 'bun:test'
import { fields, ID, nullable, number, optional, string } from '../request/schema/schema.ts'
import { EXPORT_LIMITS, type ExportPage, exportPages } from './export.ts'
import type { Rendered } from './routes.ts'

const SCHEMA = fields({ object: string(), id: ID, name: nullable(string()), cost: optional(number()) })

/** Ids from 1; `gaps`: pages that found nothing. */
const pagesOf = (count: number, size: number, gaps: readonly number[] = []) => {
  let reads = 0
  return async (after: string | undefined): Promise<ExportPage> => {
    const isGap = gaps.includes(reads++)
    const start = Number(after ?? 0)
    const data: Rendered[] = Array.from({ length: isGap ? 0 : Math.min(size, count - start) }, (_, index) => ({
      object: 'x',
      id: String(start + index + 1),
      name: null,
    }))
    return { data, has_more: start + data.length < count, last_id: String(start + data.length) }
  }
}

async function exported(
  format: 'csv' | 'jsonl',
  read: (after: string | undefined) => Promise<ExportPage>,
  limits = {},
  clock = () => 0,
): Promise<string> {
  const pages = exportPages({ format, schema: SCHEMA, read, clock }, { ...EXPORT_LIMITS, ...limits })
  return (await Array.fromAsync(pages)).join('')
}

test('pages follow each other, also empty ones, under one head', async () => {
  expect(await exported('csv', pagesOf(3, 2, [0, 2]))).toBe('id,name\r\n1,\r\n2,\r\n3,\r\n')
  expect(await exported('csv', pagesOf(0, 2))).toBe('id,name\r\n')
  const rows = await exported('jsonl', pagesOf(2, 1))
  expect(rows).toBe('{"object":"x","id":"1","name":null}\n{"object":"x","id":"2","name":null}\n')
})

test.each([
  ['rows', { rows: 3 }, '3,'],
  ['pages', { pages: 1 }, '2,'],
])('where the most %s are reached, the last line says how to read on', async (_, limits, last) => {
  const lines = (await exported('csv', pagesOf(9, 2), limits)).trimEnd().split('\r\n')
  expect(lines.slice(-2)).toEqual([last, `The list goes on. Read the rest with after=${last.slice(0, 1)}.`])
  expect(await exported('csv', pagesOf(2, 2), limits)).toBe('id,name\r\n1,\r\n2,\r\n')
})

test('it fails after the longest time, so that it does not look complete', async () => {
  let now = 0
  const read = pagesOf(9, 2)
  const slowly = (after: string | undefined) => {
    now += 4 * 60_000
    return read(after)
  }
  await expect(exported('csv', slowly, {}, () => now)).rejects.toThrow('too long')
})
