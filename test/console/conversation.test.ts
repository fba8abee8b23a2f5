// The playground's conversation: the request that continues it, and the answer that grows with each event of a stream.
import { describe, expect, test } from 'bun:test'
import {
  type Answer,
  NO_SETTINGS,
  type Question,
  requestFor,
  type Settings,
  withEvent,
  wrongSetting,
} from '../../packages/console/src/pages/playground/text/conversation.ts'

const question = (text: string, ...images: string[]): Question => ({ role: 'user', text, images })
const answer: Answer = {
  role: 'assistant',
  settings: NO_SETTINGS,
  text: '',
  reasoning: '',
  calls: [],
  outcome: { state: 'running' } as unknown as Answer['outcome'],
}
const settings = (given: Partial<Settings>): Settings => ({ ...NO_SETTINGS, model: 'm', ...given })
const delta = (value: object) => ({ choices: [{ index: 0, delta: value }] })

describe('request', () => {
  test('without settings it has the model, the messages, and asks for a stream with usage', () => {
    expect(requestFor([question('Hello')], settings({}))).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('settings become numbers; those that are empty are left to the model', () => {
    const typed = settings({ system: 'Be brief.', temperature: ' 0.5', maxTokens: '100', effort: 'low', tools: '[]' })
    expect(requestFor([question('Hello')], typed)).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      temperature: 0.5,
      max_completion_tokens: 100,
      reasoning_effort: 'low',
    })
    const names = Object.keys(requestFor([], typed))
    expect(names).not.toContain('top_p')
    expect(names).not.toContain('tools')
  })

  test('images stand behind the text, or alone', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    const contents = [question('What is it?', picture.image_url.url), question('', picture.image_url.url)].map(
      (each) => (requestFor([each], settings({})).messages as { content: unknown }[])[0]?.content,
    )
    expect(contents).toEqual([[{ type: 'text', text: 'What is it?' }, picture], [picture]])
  })

  test('tool calls are followed by their results; an answer that never came is left out', () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{}', result: 'sunny' }
    const turns = [question('Weather?'), { ...answer, calls: [call] }, answer, { ...answer, text: 'Sunny.' }]
    expect(requestFor(turns, settings({})).messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      { role: 'assistant', content: 'Sunny.' },
    ])
  })
})

describe('wrong settings are named', () => {
  const CASES: [Partial<Settings>, keyof Settings | undefined][] = [
    [{}, undefined],
    [{ temperature: '2', topP: '1', maxTokens: '1', tools: '[]' }, undefined],
    [{ temperature: '2.1' }, 'temperature'],
    [{ temperature: 'warm' }, 'temperature'],
    [{ topP: '-0.1' }, 'topP'],
    [{ maxTokens: '0' }, 'maxTokens'],
    [{ maxTokens: '1.5' }, 'maxTokens'],
    [{ tools: '{}' }, 'tools'],
    [{ tools: '[' }, 'tools'],
  ]
  test.each(CASES)('%j: %p', (given, expected) => expect(wrongSetting(settings(given))).toBe(expected))
})

describe('events', () => {
  const after = (...events: unknown[]) => events.reduce(withEvent, answer) as Answer

  test('text, refusals and reasoning of either name are added', () => {
    const grown = after(
      delta({ reasoning_content: 'Let me ' }),
      delta({ reasoning: 'think.' }),
      delta({ content: 'Yes' }),
      delta({ refusal: ', but no.' }),
    )
    expect([grown.text, grown.reasoning]).toEqual(['Yes, but no.', 'Let me think.'])
  })

  test('two calls that arrive in turns stay apart', () => {
    const piece = (index: number, id: string, name: string, text: string) =>
      delta({ tool_calls: [{ index, id, function: { name, arguments: text } }] })
    const { calls } = after(
      piece(0, 'a', 'one', '{"x"'),
      piece(1, 'b', 'two', '{"y"'),
      piece(0, '', '', ':1}'),
      piece(1, '', '', ':2}'),
    )
    expect(calls).toEqual([
      { id: 'a', name: 'one', arguments: '{"x":1}', result: '' },
      { id: 'b', name: 'two', arguments: '{"y":2}', result: '' },
    ])
  })

  test.each([-1, 7, 'first', undefined])('a call at the place %p is put behind the others', (index) => {
    const { calls } = after(delta({ tool_calls: [{ index, id: 'a', function: { name: 'one' } }] }))
    expect(calls.map(({ name }) => name)).toEqual(['one'])
  })

  test.each([null, 'text', {}, { choices: [] }, { usage: {} }])('%j changes nothing', (event) => {
    expect(withEvent(answer, event)).toBe(answer)
  })
})
