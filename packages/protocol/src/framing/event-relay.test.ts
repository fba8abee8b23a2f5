import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOf } from '../../fixtures/buffer-codec.ts'
import { type EventAction, type EventView, openEventRelay, type RelayProblem } from './event-relay.ts'
import { watchList } from './json/json-walk.ts'

const MODEL = 8
const NAMES = watchList([{ name: 'model', code: MODEL, depths: [1] }])

/** A relay whose events say themselves what is to become of them: `{"verdict":"hold"}`. */
function relayOf(options: { renameTo?: string; limit?: number; asArray?: boolean } = {}) {
  const problems: RelayProblem[] = []
  const judge = (view: EventView): EventAction => {
    if ((view.walk.noted & (1 << MODEL)) !== 0) {
      view.renameStart = view.walk.starts[MODEL] ?? 0
      view.renameEnd = view.walk.ends[MODEL] ?? 0
    }
    return JSON.parse(textOf(view.bytes.slice(view.start, view.end))).verdict ?? 'forward'
  }
  const relay = openEventRelay(
    { watched: NAMES, inspect: judge, idle: 'beside', isOver: () => false, fail: (problem) => problems.push(problem) },
    { renameTo: undefined, ...options },
    bufferCodec,
  )
  const push = (text: string) => textOf(relay.push(bytesOf(text)))
  return { push, end: () => textOf(relay.end()), endWith: (data: string) => textOf(relay.endWith(data)), problems }
}

const event = (verdict: EventAction, x = '') => `data: {"verdict":"${verdict}","x":"${x}"}\n\n`

describe('verdicts', () => {
  test.each<[string, string[], string, string]>([
    ['forwarded', [event('forward'), event('forward', 'b')], event('forward') + event('forward', 'b'), ''],
    ['held to the end', [event('hold')], '', event('hold')],
    ['held, then not the end', [event('hold'), event('forward')], event('hold') + event('forward'), ''],
    [
      'held with what stands beside',
      [event('hold'), event('beside'), ': c\n\n'],
      '',
      `${event('hold')}${event('beside')}: c\n\n`,
    ],
    ['beside nothing', [event('beside'), ': c\n\n'], `${event('beside')}: c\n\n`, ''],
    [
      'only the latest',
      [event('hold-latest', 'a'), event('hold-latest', 'b')],
      event('hold-latest', 'a'),
      event('hold-latest', 'b'),
    ],
    ['dropped', [event('drop'), event('forward')], event('forward'), ''],
    ['failed: nothing more, held or not', [event('hold'), event('fail'), event('forward')], '', ''],
  ])('%s', (_, events, now, later) => {
    for (const pieces of [events, [events.join('')], [...events.join('')]]) {
      const relay = relayOf()
      expect(pieces.map(relay.push).join('')).toBe(now)
      expect(relay.end()).toBe(later)
    }
  })
})

test('a name that is right already is left alone, whatever the form of the event', () => {
  for (const text of ['data: {"model":"m"}\n\n', 'data: {\ndata: "model":"m"}\n\n', 'id: 1\ndata: {"model":"m"}\n\n'])
    expect(relayOf({ renameTo: 'm' }).push(text)).toBe(text)
  expect(relayOf({ renameTo: 'n' }).push('id: 1\nevent: e\ndata: {"model":"m"}\n\n')).toBe(
    'event: e\ndata: {"model":"n"}\n\n',
  )
})

describe('limits', () => {
  test('an event that does not end is not waited for', () => {
    for (const pieces of [['x'.repeat(80)], ['x'.repeat(30), 'x'.repeat(30)]]) {
      const relay = relayOf({ limit: 50 })
      expect(relay.push(`${event('forward')}`)).toBe(event('forward'))
      for (const piece of pieces) relay.push(`data: {"x":"${piece}`)
      expect(relay.problems).toEqual(['oversized'])
      expect(relay.push('"}\n\n')).toBe('')
      expect(relay.end()).toBe('')
    }
  })

  test('what is held has a limit too', () => {
    const relay = relayOf({ limit: 100 })
    for (let count = 0; count < 5; count++) relay.push(event('hold'))
    expect(relay.problems).toEqual(['oversized'])
    expect(relay.end()).toBe('')
  })

  test('an end within an event is told apart from one that is broken', () => {
    const cut = relayOf()
    cut.push('data: {"x":')
    cut.end()
    expect(cut.problems.at(-1)).toBe('cut')
    const broken = relayOf()
    broken.push('data: {x}\n\n')
    broken.end()
    expect(broken.problems).toEqual(['malformed'])
  })
})

test('an ending of our own comes behind what was held', () => {
  const relay = relayOf()
  relay.push(event('hold'))
  expect(relay.endWith('{"last":1}')).toBe(`${event('hold')}data: {"last":1}\n\n`)
  const array = relayOf({ asArray: true })
  expect(array.push('data: {"a":1}\n\n')).toBe('[{"a":1}')
  expect(array.endWith('{"last":1}')).toBe(',\r\n{"last":1}]')
})
