import { expect, test } from 'bun:test'
import { createRoom, type Pool, type Removable } from './room.ts'

const LIMITS = { accountBytes: 100, allBytes: 1_000 }
const rowOf = (id: string): Removable => ({ id, table: 'response', bytes: 50, at: 0 })

/** An account with these rows, to which another call adds one after each removal. */
function poolOf(rows: Removable[], added: () => Removable | undefined): Pool {
  const sum = () => rows.reduce((total, { bytes }) => total + bytes, 0)
  return {
    kind: 'stored',
    bytesOf: async () => sum(),
    total: async () => sum(),
    largest: async () => undefined,
    oldest: async (_, limit, kept) => rows.filter(({ id }) => id !== kept).slice(0, limit),
    async remove(_, removables) {
      const ids = removables.map(({ id }) => id)
      rows.splice(0, rows.length, ...rows.filter(({ id }) => !ids.includes(id)))
      const more = added()
      if (more) rows.push(more)
      return ids
    },
  }
}

test('what other calls add meanwhile is not held against what fits', async () => {
  let calls = 0
  const pool = poolOf([rowOf('a'), rowOf('b'), rowOf('new')], () => rowOf(`later-${calls++}`))
  const room = createRoom(pool, LIMITS, () => {})
  expect((await room.make(1n, 50, 'new', 100)).isOver).toBe(false)
})

test('what does not fit although nothing else is left is too much', async () => {
  const large = { ...rowOf('new'), bytes: 150 }
  const room = createRoom(
    poolOf([large], () => undefined),
    LIMITS,
    () => {},
  )
  expect((await room.make(1n, 150, 'new', 0)).isOver).toBe(true)
})
