import { describe, expect, test } from 'bun:test'
import { formatSse, openSseParser, type SseEvent, SseOverflow } from './sse.ts'

const plain = (data: string): SseEvent => ({ event: undefined, data, id: undefined })

function parse(pieces: string[], limit?: number): SseEvent[] {
  const parser = openSseParser(limit)
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]
}

const NASTY = [
  '\uFEFFdata: after the mark\r\n\r\n: a comment\r\n',
  'event: start\r\ndata: {"a":1}\r\n\r\n',
  'data:no space\rdata:  two spaces\r\r',
  'id: 7\nretry: 10\nunknown: x\ndata: with id\n\n',
  ':\n\n\n: ping\r\n\r\n',
  'event: dropped, it has no data\n\n',
  'data\n\n',
  'data: one\r\ndata:\r\ndata: three: with: colons\r\n\r\n',
  'event:\ndata: empty name\n\n',
  'id: bad\0id\ndata: 北京 \u{1F600} \uFEFF\u2028\n\n',
  ' data: a leading space makes another field\n\n',
  'event: last\ndata: [DONE]',
].join('')

const NASTY_EVENTS: SseEvent[] = [
  plain('after the mark'),
  { event: 'start', data: '{"a":1}', id: undefined },
  plain('no space\n two spaces'),
  { event: undefined, data: 'with id', id: '7' },
  plain(''),
  plain('one\n\nthree: with: colons'),
  plain('empty name'),
  plain('北京 \u{1F600} \uFEFF\u2028'),
  { event: 'last', data: '[DONE]', id: undefined },
]

describe('the parser', () => {
  test('reads the sample whole, and character by character', () => {
    expect(parse([NASTY])).toEqual(NASTY_EVENTS)
    expect(parse(NASTY.split(''))).toEqual(NASTY_EVENTS)
  })

  test('reads the sample cut in two at every position, also with an empty piece in between', () => {
    for (let cut = 0; cut <= NASTY.length; cut += 1) {
      expect(parse([NASTY.slice(0, cut), '', NASTY.slice(cut)])).toEqual(NASTY_EVENTS)
    }
  })

  test('reads the sample cut in three at every pair of near positions', () => {
    for (let cut = 0; cut < NASTY.length; cut += 1) {
      for (let width = 1; width <= 3; width += 1) {
        const pieces = [NASTY.slice(0, cut), NASTY.slice(cut, cut + width), NASTY.slice(cut + width)]
        expect(parse(pieces)).toEqual(NASTY_EVENTS)
      }
    }
  })

  test('an event is handed out with the piece that completes it, also where that ends in CR', () => {
    const parser = openSseParser()
    expect(parser.push('data: a\r\n\r')).toEqual([plain('a')])
    expect(parser.push('\ndata: b\n')).toEqual([])
    expect(parser.push('\n')).toEqual([plain('b')])
    expect(parser.push('data: c\n\ndata: d\n\n')).toEqual([plain('c'), plain('d')])
    expect(parser.end()).toEqual([])
  })

  test('nothing is left for a second end', () => {
    const parser = openSseParser()
    parser.push('data: a')
    expect(parser.end()).toEqual([plain('a')])
    expect(parser.end()).toEqual([])
  })

  test.each([
    [[]],
    [['']],
    [['\uFEFF']],
    [[': only a comment']],
    [['event: x']],
    [['\r', '\n', '\r\n']],
  ])('no event in %j', (pieces) => {
    expect(parse(pieces)).toEqual([])
  })
})

describe('the limit', () => {
  const line = (length: number) => `data: ${'x'.repeat(length - 6)}`

  test('a line of exactly the limit passes, in one piece and in many', () => {
    expect(parse([`${line(20)}\n\n`], 20)).toEqual([plain('x'.repeat(14))])
    expect(parse(`${line(20)}\r\n\r\n`.split(''), 20)).toEqual([plain('x'.repeat(14))])
    expect(parse([line(20)], 20)).toEqual([plain('x'.repeat(14))])
  })

  test.each([
    ['a closed line', [`${line(21)}\n\n`]],
    ['an open line', [line(21)]],
    ['a line in pieces', line(21).split('')],
    ['a line in two pieces', [line(15), 'xxxxxx\n\n']],
    ['a comment', [`:${'x'.repeat(20)}`]],
    ['data in many lines', [`${line(17)}\n${line(17)}\n\n`]],
    ['empty data lines', ['data\n'.repeat(22)]],
  ])('%s beyond it throws', (_name, pieces) => {
    expect(() => parse(pieces, 20)).toThrow(SseOverflow)
  })

  test('data in many lines has no more than the usual room, however much one line may have', () => {
    const long = `data: ${'x'.repeat(5 * 1024 * 1024)}\n`
    expect(parse([`data: ${'x'.repeat(9 * 1024 * 1024)}\n\n`], 24 * 1024 * 1024)).toHaveLength(1)
    expect(() => parse([long, long, '\n'], 24 * 1024 * 1024)).toThrow(SseOverflow)
  })

  test('a line that never ends throws as it passes the limit, not at the end of the stream', () => {
    const parser = openSseParser(20)
    expect(parser.push(line(20))).toEqual([])
    expect(() => parser.push('x')).toThrow(SseOverflow)
  })

  test('events before the long line are not lost, and the next call throws', () => {
    for (const next of ['push', 'end'] as const) {
      const parser = openSseParser(20)
      expect(parser.push(`data: a\n\n${line(50)}`)).toEqual([plain('a')])
      expect(() => (next === 'push' ? parser.push('x\n\ndata: b\n\n') : parser.end())).toThrow(SseOverflow)
      expect(() => parser.push('data: c\n\n')).toThrow(SseOverflow)
    }
  })

  test('a long line in small pieces is read whole', () => {
    const piece = 'x'.repeat(1_000)
    const events = parse(['data: ', ...Array<string>(3_000).fill(piece), '\n\n'], 4_000_000)
    expect(events.map(({ data }) => data.length)).toEqual([3_000_000])
  })
})

describe('formatSse', () => {
  test('writes data and event lines', () => {
    expect(formatSse('{"a":1}')).toBe('data: {"a":1}\n\n')
    expect(formatSse('{}', 'error')).toBe('event: error\ndata: {}\n\n')
  })

  test.each([
    ['one line'],
    [''],
    ['a\nb'],
    ['a\n\nb\n'],
    [' leading space'],
    ['data: x'],
  ])('%j is read back', (data) => {
    expect(parse([formatSse(data, 'name')])).toEqual([{ event: 'name', data, id: undefined }])
  })

  test('a carriage return in the data cannot end the event', () => {
    expect(parse([formatSse('a\r\r\nevent: forged')])).toEqual([plain('a\n\nevent: forged')])
  })
})
