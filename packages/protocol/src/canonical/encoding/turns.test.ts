import { describe, expect, test } from 'bun:test'
import { originOf } from '../../../fixtures/origins.ts'
import { RequestError } from '../reading.ts'
import type { CanonicalRequest, Part, Turn } from '../request.ts'
import { alternatingTurns } from './turns.ts'

const text = (words: string): Part => ({ type: 'text', text: words })
const call = (id: string): Part => ({ type: 'call', id, name: 'tide', arguments: '{}', custom: false })
const result = (callId: string, words: string): Part => ({
  type: 'result',
  callId,
  parts: [{ type: 'text', text: words }],
  at: `messages[9]`,
})
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const system = (...parts: Part[]): Turn => ({ role: 'system', parts })

function request(turns: Turn[], instructions: string[] = []): CanonicalRequest {
  return {
    from: originOf('chat'),
    model: 'm',
    stream: false,
    showUsage: false,
    instructions: instructions.map((words) => ({ text: words })),
    turns,
    tools: [],
    hostedTools: [],
    format: { type: 'text' },
    modalities: [],
    sampling: {},
    reasoning: {},
    untranslated: [],
  }
}

/** Short: `u:` and `a:` with texts, `#id` for calls, `=id:text` for results, `!` for errors. */
function summaryOf(turns: readonly Turn[]): string[] {
  const one = (part: Part): string => {
    if (part.type === 'text') return part.text
    if (part.type === 'call') return `#${part.id}`
    if (part.type !== 'result') return part.type
    const inside = part.parts.map((inner) => (inner.type === 'text' ? inner.text : inner.type)).join('+')
    return `=${part.callId}:${inside}${part.isError ? '!' : ''}`
  }
  return turns.map((turn) => `${turn.role[0]}:${turn.parts.map(one).join('|')}`)
}

function placed(turns: Turn[], keepsInstructions = false): { turns: string[]; warnings: string[] } {
  const warnings: string[] = []
  const warn = (field: string, reason: string): void => void warnings.push(`${field};${reason}`)
  return { turns: summaryOf(alternatingTurns(request(turns), warn, keepsInstructions).turns), warnings }
}

const named = (name: string, ...parts: Part[]): Turn => ({ role: 'user', parts, name })
const picture: Part = { type: 'media', media: 'image', source: { kind: 'url', url: 'https://a.example/p' } }
const foreign: Part = { type: 'foreign', what: 'web_search_call', at: 'input[1]' }

const CASES: [what: string, given: Turn[], expected: string[], warnings: string[]][] = [
  ['equals in a row become one', [user(text('a')), user(text('b')), assistant(text('c'))], ['u:a|b', 'a:c'], []],
  ['a user begins', [assistant(text('so')), user(text('yes'))], ['u:(continued)', 'a:so', 'u:yes'], []],
  [
    'empty text is gone, and turns of nothing else',
    [user(text('a')), assistant(text(' \n')), user(text('b'))],
    ['u:a|b'],
    [],
  ],
  [
    'instructions in the middle are marked and keep their place',
    [user(text('a')), assistant(text('b')), system(text('rule')), user(text('c'))],
    ['u:a', 'a:b', 'u:<system-instruction>rule</system-instruction>|c'],
    [],
  ],
  [
    'results of one turn stand together, before other words, in the order of the calls',
    [
      user(text('q')),
      assistant(call('1'), call('2')),
      user(text('and?')),
      user(result('2', 'two')),
      user(result('1', 'one')),
    ],
    ['u:q', 'a:#1|#2', 'u:=1:one|=2:two|and?'],
    [],
  ],
  [
    'a missing result is filled in',
    [user(text('q')), assistant(call('1'), call('2'), call('3')), user(result('2', 'two')), user(text('go on'))],
    ['u:q', 'a:#1|#2|#3', 'u:=1:no output!|=2:two|=3:no output!|go on'],
    ['turns;assumed', 'turns;assumed'],
  ],
  ['calls at the very end wait for their results', [user(text('q')), assistant(call('1'))], ['u:q', 'a:#1'], []],
  [
    'the same id twice in one turn: a number behind the second, results in order',
    [user(text('q')), assistant(call('x'), call('x')), user(result('x', 'first'), result('x', 'second'))],
    ['u:q', 'a:#x|#x_2', 'u:=x:first|=x_2:second'],
    [],
  ],
  [
    'the same id in a later turn: a missing result of the earlier one does not take the later one away',
    [user(text('q')), assistant(call('x')), user(text('never mind')), assistant(call('x')), user(result('x', 'late'))],
    ['u:q', 'a:#x', 'u:=x:no output!|never mind', 'a:#x_2', 'u:=x_2:late'],
    ['turns;assumed'],
  ],
  [
    'a result that comes after other turns goes back to its call',
    [
      user(text('q')),
      assistant(call('1')),
      user(text('wait')),
      assistant(text('ok')),
      user(result('1', 'one'), text('there')),
    ],
    ['u:q', 'a:#1', 'u:=1:one|wait', 'a:ok', 'u:there'],
    [],
  ],
  ['a name is said', [named('Ana', text('hello'), text('again'))], ['u:Ana: hello|again'], ['name;changed']],
  ['a name beside a picture', [named('Ana', picture)], ['u:Ana:|media'], ['name;changed']],
  [
    'parts of another vendor are dropped, with a warning',
    [user(text('q')), assistant(foreign, text('found')), user(text('more'))],
    ['u:q', 'a:found', 'u:more'],
    ['turns;dropped'],
  ],
]

test.each(CASES)('%s', (_, given, expected, warnings) => {
  expect(placed(given)).toEqual({ turns: expected, warnings })
})

describe('targets that take instructions in the middle', () => {
  test.each<[what: string, given: Turn[], expected: string[]]>([
    ['after a user', [user(text('a')), system(text('r')), user(text('b'))], ['u:a', 's:r', 'u:b']],
    [
      'after results, wherever the caller had them',
      [user(text('a')), assistant(call('1')), system(text('r')), user(result('1', 'one'))],
      ['u:a', 'a:#1', 'u:=1:one', 's:r'],
    ],
    [
      'not after an assistant',
      [user(text('a')), assistant(text('b')), system(text('r')), user(text('c'))],
      ['u:a', 'a:b', 'u:<system-instruction>r</system-instruction>|c'],
    ],
    [
      'not with pictures',
      [user(text('a')), system(text('r'), picture)],
      ['u:a|<system-instruction>r</system-instruction>|media'],
    ],
  ])('%s', (_, given, expected) => {
    expect(placed(given, true)).toEqual({ turns: expected, warnings: [] })
  })
})

test('only instructions: the last of them is what is asked', () => {
  const { instructions, turns } = alternatingTurns(request([], ['Be brief.', 'Name a port.']), () => {})
  expect(instructions).toEqual([{ text: 'Be brief.' }])
  expect(summaryOf(turns)).toEqual(['u:Name a port.'])
})

test.each<[what: string, turns: Turn[], param: string | undefined]>([
  ['a result without a call', [user(text('q')), user(result('1', 'one'))], 'messages[9]'],
  ['a result before its call', [user(result('1', 'one')), assistant(call('1'))], 'messages[9]'],
  ['a second result', [assistant(call('1')), user(result('1', 'a'), result('1', 'b'))], 'messages[9]'],
  ['nothing at all', [user(text(' '))], undefined],
])('%s is an error', (_, turns, param) => {
  let thrown: unknown
  try {
    alternatingTurns(request(turns), () => {})
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(RequestError)
  expect((thrown as RequestError).info).toMatchObject({
    code: 'bad_request',
    ...(param === undefined ? {} : { param }),
  })
})
