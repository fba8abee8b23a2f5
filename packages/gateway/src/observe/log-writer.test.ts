import { expect, test } from 'bun:test'
import { createLogWriter } from './log-writer.ts'

function writer(maxBuffered?: number) {
  const texts: string[] = []
  const waiting: (() => void)[] = []
  let isRead = true
  let timer: (() => void) | undefined
  const log = createLogWriter(
    {
      write(text, done) {
        texts.push(text)
        if (isRead) done()
        else waiting.push(done)
      },
      writeLast: (text) => void (text !== '' && texts.push(text)),
    },
    {
      droppedLine: (count) => `${count} dropped\n`,
      ...(maxBuffered === undefined ? {} : { maxBuffered }),
      after(_, run) {
        timer = run
        return () => {
          timer = undefined
        }
      },
    },
  )
  return {
    log,
    texts,
    hasTimer: () => timer !== undefined,
    timeout: () => timer?.(),
    read(reads: boolean) {
      isRead = reads
      if (reads) for (const done of waiting.splice(0)) done()
    },
  }
}

test('lines are buffered until the timer, and written in one piece', () => {
  const { log, texts, timeout, hasTimer } = writer()
  log.write('one\n')
  log.write('two\n')
  expect([texts, hasTimer()]).toEqual([[], true])
  timeout()
  expect([texts, hasTimer()]).toEqual([['one\ntwo\n'], false])
  log.flush()
  expect(texts).toHaveLength(1)
})

test('much of it does not wait for the timer', () => {
  const { log, texts } = writer()
  for (let count = 0; count < 40; count++) log.write(`${'x'.repeat(1023)}\n`)
  expect(texts.map(({ length }) => length)).toEqual([32 * 1024])
})

test('without a reader, a bounded amount is kept and the rest is counted; the next reader is told', () => {
  const { log, texts, read, timeout } = writer(100)
  read(false)
  log.write('first\n')
  timeout()
  for (let count = 0; count < 1_000; count++) log.write(`line ${String(count).padStart(4, '0')}\n`)
  expect(texts).toEqual(['first\n'])
  read(true)
  const [, kept = ''] = texts
  expect(texts).toHaveLength(2)
  expect(kept.split('\n').slice(0, 2)).toEqual(['line 0000', 'line 0001'])
  expect(kept).toEndWith('line 0009\n990 dropped\n')
  log.write('again\n')
  timeout()
  expect(texts.at(-1)).toBe('again\n')
})

test('a line that is too long by itself is dropped, and told of at once', () => {
  const { log, texts } = writer(100)
  log.write(`${'x'.repeat(200)}\n`)
  expect(texts).toEqual(['1 dropped\n'])
})

test('at exit all that is left is handed over, also while a write is under way', () => {
  const { log, texts, read } = writer()
  read(false)
  log.write('one\n')
  log.flush()
  log.write('two\n')
  log.flush()
  expect(texts).toEqual(['one\n'])
  log.flushLast()
  log.flushLast()
  expect(texts).toEqual(['one\n', 'two\n'])
})
