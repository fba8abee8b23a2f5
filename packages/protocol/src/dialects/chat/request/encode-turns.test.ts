import { describe, expect, test } from 'bun:test'
import { call, messagesOf, mistakeOf, result, said, written, writtenCall } from '../../../../fixtures/chat/requests.ts'
import type { MediaPart, Turn } from '../../../canonical/request.ts'

describe('messages', () => {
  test('several instructions are one message', () => {
    const turns: Turn[] = [
      said('Hi.'),
      { role: 'system', parts: [{ type: 'text', text: 'In French.' }] },
      said('Again.'),
    ]
    expect(messagesOf({ instructions: [{ text: 'One.', cache: {} }, { text: 'Two.' }], turns })).toEqual([
      {
        role: 'system',
        content: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ],
      },
      { role: 'user', content: 'Hi.' },
      { role: 'system', content: 'In French.' },
      { role: 'user', content: 'Again.' },
    ])
  })

  test('results stand behind their calls, whatever came between', () => {
    const turns: Turn[] = [
      said('Tides?'),
      { role: 'assistant', parts: [{ type: 'reasoning', text: 'Two.', style: 'full' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Looking.' }, call('c1')] },
      { role: 'assistant', parts: [call('c2')] },
      said('Quick!'),
      { role: 'user', parts: [{ type: 'text', text: 'Here.' }, result('c2', 'offline', { isError: true })] },
      { role: 'user', parts: [result('c1', '5.1 m')] },
    ]
    expect(messagesOf({ turns })).toEqual([
      { role: 'user', content: 'Tides?' },
      {
        role: 'assistant',
        content: 'Looking.',
        reasoning_content: 'Two.',
        tool_calls: [writtenCall('c1'), writtenCall('c2')],
      },
      { role: 'tool', tool_call_id: 'c2', content: 'ERROR: offline' },
      { role: 'tool', tool_call_id: 'c1', content: '5.1 m' },
      { role: 'user', content: 'Quick!' },
      { role: 'user', content: 'Here.' },
    ])
  })

  test('a turn of reasoning alone joins the next one; texts stay separate', () => {
    const spoken = (text: string): Turn => ({ role: 'assistant', parts: [{ type: 'text', text }] })
    const turns: Turn[] = [
      { role: 'assistant', parts: [{ type: 'reasoning', text: 'Hm.', style: 'summary' }] },
      spoken('One.'),
      spoken('Two.'),
      said('Go on.'),
    ]
    expect(messagesOf({ turns })).toEqual([
      { role: 'assistant', content: 'One.', reasoning_content: 'Hm.' },
      { role: 'assistant', content: 'Two.' },
      { role: 'user', content: 'Go on.' },
    ])
  })

  test('a missing result, and a result without a call', () => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('c1'), call('c2')] },
      { role: 'user', parts: [result('c2', 'x'), result('c9', 'y')] },
    ]
    const { body, warnings } = written({ turns })
    expect(body.messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [writtenCall('c1'), writtenCall('c2')] },
      { role: 'tool', tool_call_id: 'c2', content: 'x' },
      { role: 'tool', tool_call_id: 'c1', content: 'ERROR: no output' },
      { role: 'tool', tool_call_id: 'c9', content: 'y' },
    ])
    expect(warnings).toEqual(['turns;assumed'])
  })

  test('ids that are no ids here, or are there twice', () => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('functions.tide:0'), call('same'), call('same')] },
      { role: 'user', parts: [result('same', 'a'), result('same', 'b'), result('functions.tide:0', 'c')] },
    ]
    const messages = messagesOf({ turns }) as {
      tool_calls?: { id: string }[]
      tool_call_id?: string
      content: string
    }[]
    const ids = messages[0]?.tool_calls?.map(({ id }) => id)
    expect(ids).toEqual([expect.stringMatching(/^call_\w+$/), 'same', 'same_2'])
    expect(messages.slice(1).map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      ['same', 'a'],
      ['same_2', 'b'],
      [ids?.[0], 'c'],
    ])
  })

  test('an image in a result is sent after all results', () => {
    const image: MediaPart = {
      type: 'media',
      media: 'image',
      source: { kind: 'inline', mime: 'image/png', data: 'aaaa' },
    }
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('c1'), call('c2')] },
      { role: 'user', parts: [{ type: 'result', callId: 'c1', parts: [image] }, result('c2', 'x')] },
    ]
    expect((messagesOf({ turns }) as unknown[]).slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '[image follows]' },
      { role: 'tool', tool_call_id: 'c2', content: 'x' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[output of call c1]' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aaaa' } },
        ],
      },
    ])
  })

  test('signatures are sent back to their vendor', () => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('c1', { signature: 'sealed:S' }), call('c2', { signature: 'other' })] },
    ]
    expect(messagesOf({ turns })).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { ...writtenCall('c1'), extra_content: { google: { thought_signature: 'S' } } },
          writtenCall('c2'),
        ],
      },
    ])
  })

  test.each([
    ['some-model', 'Hm.', 'Hm.'],
    ['some-model', undefined, undefined],
    ['deepseek-chat', 'Hm.', 'Hm.'],
    ['deepseek-chat', undefined, ''],
    ['moonshotai/kimi-k2', undefined, ''],
    ['gpt-5', 'Hm.', undefined],
    ['mistral-small', 'Hm.', undefined],
  ])('reasoning for %s: %p', (model, thought, expected) => {
    const thoughts = thought === undefined ? [] : [{ type: 'reasoning', text: thought, style: 'full' } as const]
    const turns: Turn[] = [
      { role: 'assistant', parts: [...thoughts, call('c1')] },
      { role: 'user', parts: [result('c1', 'x')] },
    ]
    const [message] = messagesOf({ turns }, model) as { reasoning_content?: string }[]
    expect(message?.reasoning_content).toBe(expected as string)
  })

  test('what only its vendor can read is left out', () => {
    const turns: Turn[] = [
      said('Hi.'),
      {
        role: 'assistant',
        parts: [
          { type: 'redacted', data: 'x' },
          { type: 'foreign', what: 'web_search', at: 'x' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'refusal', text: 'No.' }] },
      said('Please.'),
    ]
    const { body, warnings } = written({ turns })
    expect(body.messages).toEqual([
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'user', content: 'Please.' },
    ])
    expect(warnings).toEqual(['turns;dropped'])
  })

  test('an assistant that speaks last is not sure to go on', () => {
    expect(
      written({ turns: [said('Hi.'), { role: 'assistant', parts: [{ type: 'text', text: 'Well' }] }] }).warnings,
    ).toEqual(['turns;changed'])
  })
})

describe('media', () => {
  const pdf = { kind: 'inline', mime: 'application/pdf', data: 'JVBERi0=' } as const
  const file = (filename: string) => ({
    type: 'file',
    file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename },
  })
  const table: [name: string, part: Omit<MediaPart, 'type'>, expected: unknown[]][] = [
    [
      'a URL',
      { media: 'image', source: { kind: 'url', url: 'https://x.test/a.png' }, detail: 'original' },
      [{ type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'high' } }],
    ],
    ['a document', { media: 'document', source: pdf, name: 'a.pdf' }, [file('a.pdf')]],
    ['a document to fetch', { media: 'document', source: { kind: 'url', url: 'https://x' } }, [file('document.pdf')]],
    [
      'a document that is text',
      { media: 'document', source: { kind: 'text', mime: 'text/plain', text: 'Tides.' }, name: 'T', context: 'Old.' },
      [
        { type: 'text', text: 'Old.' },
        { type: 'text', text: '<document title="T">\nTides.\n</document>' },
      ],
    ],
    [
      'text in base64',
      { media: 'document', source: { kind: 'inline', mime: 'text/plain', data: btoa('caf\u00c3\u00a9') } },
      [{ type: 'text', text: '<document>\ncafé\n</document>' }],
    ],
    [
      'sound',
      { media: 'audio', source: { kind: 'inline', mime: 'audio/x-wav', data: 'AAAA' } },
      [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
    ],
  ]
  test.each(table)('%s', (_name, part, expected) => {
    const turns: Turn[] = [
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'Look.' },
          { type: 'media', ...part },
        ],
      },
    ]
    expect(messagesOf({ turns })).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Look.' }, ...expected] }])
  })

  test.each([
    ['a film', { media: 'video', source: { kind: 'url', url: 'https://x' } }],
    ['a kept file', { media: 'image', source: { kind: 'object', id: 'file-1' } }],
    ['other sound', { media: 'audio', source: { kind: 'inline', mime: 'audio/flac', data: 'AAAA' } }],
  ] as const)('rejected: %s', (_name, part) => {
    const turns: Turn[] = [{ role: 'user', parts: [{ type: 'media', ...part, at: 'input[0]' } as MediaPart] }]
    expect(mistakeOf({ turns })).toMatchObject({ code: 'unsupported_parameter', param: 'input[0]' })
  })

  test('other output than text is rejected', () => {
    expect(mistakeOf({ modalities: ['image'] })).toMatchObject({ code: 'unsupported_parameter' })
  })
})
