import { expect, test } from 'bun:test'
import type { Fields } from './log.ts'
import { oncePerSecond } from './once-per-second.ts'

test('a message is written once per second, with a count, and others are not delayed by it', () => {
  const lines: [string, Fields | undefined][] = []
  const write = (message: string, fields?: Fields) => void lines.push([message, fields])
  const due: (() => void)[] = []
  const log = oncePerSecond({ info: write, warn: write, error: write }, (_, run) => void due.push(run))
  const second = () => {
    for (const run of due.splice(0)) run()
  }
  for (let index = 1; index <= 100; index += 1) log.error('not claimed', { request: index })
  log.error('not stored', { request: 7 })
  expect(lines).toEqual([
    ['not claimed', { request: 1 }],
    ['not stored', { request: 7 }],
  ])
  second()
  expect(lines.slice(2)).toEqual([['not claimed', { request: 100, count: 99 }]])
  log.error('not claimed', { request: 101 })
  second()
  expect(lines.slice(3)).toEqual([['not claimed', { request: 101, count: 1 }]])
  second()
  log.error('not claimed', { request: 102 })
  expect(lines.slice(4)).toEqual([['not claimed', { request: 102 }]])
})
