// Requests on their way through, in all four dialects: what is known of them, and that edits change nothing else.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bufferCodec, bytesOf } from '../../../../fixtures/buffer-codec.ts'
import { ask, DIALECTS, edit, type Id, read } from '../../../../fixtures/shared/pass-through-requests.ts'
import { RequestError } from '../../../canonical/reading.ts'
import type { PassThroughEdits, PassThroughRequest } from '../../pass-through.ts'
import { joinEdits } from './request.ts'

const DATA = 'A'.repeat(4_000)
const PNG = `data:image/png;base64,${DATA}`

const WITH_MEDIA: Record<Id, string> = {
  chat: `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"${PNG}"}},
    {"type":"input_audio","input_audio":{"data":"${DATA}","format":"wav"}},
    {"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,${DATA}"}}]}]}`,
  responses: `{"model":"m","input":[{"role":"user","content":[{"type":"input_image","image_url":"${PNG}"},
    {"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,${DATA}"}]},
    {"type":"image_generation_call","id":"ig_1","status":"completed","result":"${DATA}"}]}`,
  messages: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[
    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"${DATA}"}},
    {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"${DATA}"}},
    {"type":"document","source":{"type":"text","media_type":"text/plain","data":"${'b '.repeat(500)}"}}]},
    {"role":"assistant","content":[{"type":"web_fetch_tool_result","tool_use_id":"t","content":{"type":"web_fetch_result",
    "url":"https://a.b","content":{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"${DATA}"}}}}]}]}`,
  'generate-content': `{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"${DATA}"}},
    {"inline_data":{"mime_type":"application/pdf","data":"${DATA}"}},
    {"inlineData":{"mimeType":"audio/wav","data":"${DATA}"}}]}]}`,
}

describe('facts', () => {
  test.each<[Id, string, Partial<PassThroughRequest>]>([
    ['chat', '"max_tokens":5', { maxOutput: 5, capField: 'max_tokens' }],
    ['chat', '"max_tokens":5,"max_completion_tokens":7', { maxOutput: 7, capField: 'max_completion_tokens' }],
    // Which of the two an upstream heeds is its own affair: the greater has to be paid for.
    ['chat', '"max_tokens":9,"max_completion_tokens":7', { maxOutput: 9, capField: 'max_tokens' }],
    [
      'chat',
      '"n":3,"stream":true,"stream_options":{"include_usage":true}',
      { choices: 3, stream: true, showUsage: true },
    ],
    ['chat', '"prompt_cache_key":"k","user":"u"', { cacheKey: 'k', endUser: 'u' }],
    ['chat', '"safety_identifier":"s","user":"u"', { endUser: 's' }],
    ['responses', '', { model: 'm', maxOutput: undefined, capField: 'max_output_tokens', stream: false, choices: 1 }],
    ['responses', '"max_output_tokens":77,"stream":true', { maxOutput: 77, stream: true }],
    ['responses', '"prompt_cache_key":"k","user":"u"', { cacheKey: 'k', endUser: 'u' }],
    [
      'responses',
      '"tools":[{"type":"function","name":"f","parameters":null,"strict":null},{"type":"web_search"}]',
      { tools: 2 },
    ],
    ['messages', '"stream":true', { maxOutput: 900, capField: 'max_tokens', stream: true, cacheKey: undefined }],
    ['messages', '"metadata":{"user_id":"u"}', { endUser: 'u' }],
    ['generate-content', '', { model: 'm', stream: true, capField: 'generationConfig.maxOutputTokens', choices: 1 }],
    ['generate-content', '"generationConfig":{"maxOutputTokens":5,"candidateCount":2}', { maxOutput: 5, choices: 2 }],
    ['generate-content', '"generation_config":{"max_output_tokens":"5"}', { maxOutput: 5 }],
  ])('%s %s', (id, members, facts) => {
    expect(read(id, ask(id, members))).toMatchObject(facts)
  })

  test.each<[Id, { images: number; documents: number; audios: number }]>([
    ['chat', { images: 1, documents: 1, audios: 1 }],
    ['responses', { images: 2, documents: 1, audios: 0 }],
    ['messages', { images: 1, documents: 2, audios: 0 }],
    ['generate-content', { images: 1, documents: 1, audios: 1 }],
  ])('%s: media are counted, and weigh much less than as much text', (id, counts) => {
    const request = read(id, WITH_MEDIA[id])
    expect(request).toMatchObject(counts)
    const text = WITH_MEDIA[id].replaceAll(DATA, '').length
    expect(request.textBytes).toBeGreaterThan(text - 120)
    expect(request.textBytes).toBeLessThanOrEqual(text + DATA.length / 4)
  })

  const FILE = Buffer.from('word '.repeat(4_000)).toString('base64')
  test.each<[what: string, id: Id, json: string]>([
    [
      'a file of text',
      'chat',
      `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"file_data":"data:text/plain;base64,${FILE}"}}]}]}`,
    ],
    [
      'a file of text',
      'responses',
      `{"model":"m","input":[{"role":"user","content":[{"type":"input_file","file_data":"data:application/json;base64,${FILE}"}]}]}`,
    ],
    [
      'a file of text',
      'generate-content',
      `{"contents":[{"parts":[{"inlineData":{"mimeType":"text/csv","data":"${FILE}"}}]}]}`,
    ],
    ...['data', 'file_data', 'url'].map((name): [string, Id, string] => [
      `what tools call ${name}`,
      'chat',
      ask(
        'chat',
        `"tools":[{"type":"function","function":{"name":"f","parameters":{"${name}":"data:image/png,${FILE}"}}}]`,
      ),
    ]),
  ])('%s weighs as text: %s', (_, id, json) => {
    expect(read(id, json).textBytes).toBeGreaterThanOrEqual(20_000)
  })

  test('chat: an image counts once and not by its bytes, however its slashes are escaped', () => {
    const url = `data:image\\/png;base64,${DATA}`
    const json = `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"${url}"}}]}]}`
    expect(read('chat', json).textBytes).toBeLessThan(json.length - DATA.length)
  })

  test('what is long to read or to hear weighs more than what is short', () => {
    const weight = (mime: string, size: number) =>
      read(
        'generate-content',
        `{"contents":[{"parts":[{"inlineData":{"mimeType":"${mime}","data":"${'A'.repeat(size)}"}}]}]}`,
      ).textBytes
    for (const mime of ['application/pdf', 'audio/mp3', 'video/mp4'])
      expect(weight(mime, 400_000)).toBeGreaterThan(weight(mime, 4_000) + 2_000)
    expect(weight('application/pdf', 400_000)).toBeLessThan(40_000)
  })

  test('neutral terms, parsed when asked for', () => {
    const long = `{"model":"m","messages":[{"role":"user","content":"${'x'.repeat(20_000)}"}]}`
    expect(read('chat', long).canonical()).toMatchObject({ model: 'm', turns: [{ role: 'user' }] })
    for (const id of Object.keys(DIALECTS) as Id[]) expect(read(id, ask(id)).canonical().from.dialect).toBe(id)
  })
})

describe('errors name the field', () => {
  test.each<[Id, string, string | undefined]>([
    [
      'chat',
      '{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":"x"}]}]}',
      'messages[0].content[0].image_url',
    ],
    ['chat', '{"model":"m","messages":"x"}', 'messages'],
    ['responses', '{"model":"m","input":7}', 'input'],
    ['responses', '{"model":"m","model":"n","input":"x"}', 'model'],
    ['messages', '{"model":"m","messages":[]', 'messages'],
    ['messages', '{"model":"m","max_tokens":"9","messages":[{"role":"user","content":"x"}]}', 'max_tokens'],
    ['generate-content', '{"contents":7}', 'contents'],
    ['generate-content', '[]', undefined],
  ])('%s %s', (id, json, param) => {
    let thrown: unknown
    try {
      read(id, json)
    } catch (mistake) {
      thrown = mistake
    }
    expect(thrown).toBeInstanceOf(RequestError)
    expect((thrown as RequestError).info.code).toBe('bad_request')
    expect((thrown as RequestError).info.param).toBe(param)
  })
})

describe('edits change what they name and no other byte', () => {
  const ODD = '"x" : {"y":[1.0,{"z":null}]} ,\n\t"seed_like":12345678901234567890'
  const table: [Id, string, PassThroughEdits, string][] = [
    ...(['chat', 'responses', 'messages'] as const).map((id): [Id, string, PassThroughEdits, string] => [
      ...([id, ask(id, ODD), { model: 'other' }, ask(id, ODD).replace('"m"', '"other"')] as const),
    ]),
    ['generate-content', ask('generate-content', ODD), { model: 'other' }, ask('generate-content', ODD)],
    [
      ...(['generate-content', ask('generate-content', '"model":"models/m"'), { model: 'other' }] as const),
      ask('generate-content', '"model":"models/other"'),
    ],
    ['chat', ask('chat', '"max_tokens":50'), { maxOutput: 20 }, ask('chat', '"max_tokens":20')],
    ['chat', ask('chat', '"max_tokens":5'), { maxOutput: 20 }, ask('chat', '"max_tokens":5')],
    [
      'chat',
      ask('chat', '"stream":true'),
      { includeUsage: true },
      ask('chat', '"stream":true,"stream_options":{"include_usage":true}'),
    ],
    ['chat', ask('chat'), { includeUsage: true }, ask('chat')],
    [
      'chat',
      ask('chat', '"user":"u"'),
      { endUser: 'h', cacheKey: 'a:k' },
      ask('chat', '"user":"h","prompt_cache_key":"a:k"'),
    ],
    ['chat', ask('chat'), { endUser: 'h' }, ask('chat', '"safety_identifier":"h"')],
    [
      'responses',
      ask('responses', '"max_output_tokens":50'),
      { maxOutput: 20 },
      ask('responses', '"max_output_tokens":20'),
    ],
    [
      'responses',
      ask('responses', '"max_output_tokens":5'),
      { maxOutput: 20 },
      ask('responses', '"max_output_tokens":5'),
    ],
    [
      'responses',
      ask('responses', '"max_output_tokens":null'),
      { maxOutput: 20 },
      ask('responses', '"max_output_tokens":20'),
    ],
    [
      'responses',
      ask('responses'),
      { maxOutput: 20, cacheKey: 'k', endUser: 'h' },
      ask('responses', '"max_output_tokens":20,"prompt_cache_key":"k","safety_identifier":"h"'),
    ],
    ['messages', ask('messages'), { maxOutput: 20 }, ask('messages').replace('900', '20')],
    ['messages', ask('messages'), { maxOutput: 2_000 }, ask('messages')],
    [
      'messages',
      ask('messages', '"metadata":{ "x":1 }'),
      { endUser: 'h' },
      ask('messages', '"metadata":{ "x":1,"user_id":"h" }'),
    ],
    ['messages', ask('messages', '"metadata":null'), { endUser: 'h' }, ask('messages', '"metadata":{"user_id":"h"}')],
    ['messages', ask('messages'), { endUser: 'h' }, ask('messages', '"metadata":{"user_id":"h"}')],
    [
      'generate-content',
      ask('generate-content'),
      { maxOutput: 20 },
      ask('generate-content', '"generationConfig":{"maxOutputTokens":20}'),
    ],
    [
      'generate-content',
      ask('generate-content', '"generationConfig":{ "topK":1.0 }'),
      { maxOutput: 20 },
      ask('generate-content', '"generationConfig":{ "topK":1.0,"maxOutputTokens":20 }'),
    ],
    [
      'generate-content',
      ask('generate-content', '"generation_config":{"max_output_tokens":"50"}'),
      { maxOutput: 20 },
      ask('generate-content', '"generation_config":{"max_output_tokens":20}'),
    ],
    [
      'generate-content',
      ask('generate-content', '"generationConfig":{"maxOutputTokens":5}'),
      { maxOutput: 20 },
      ask('generate-content', '"generationConfig":{"maxOutputTokens":5}'),
    ],
    [
      'messages',
      ask('messages', '"a":1,"b":2'),
      { set: { c: '[3]', b: '"x"' }, remove: ['a'] },
      ask('messages', '"b":"x","c":[3]'),
    ],
  ]
  test.each(table)('%s %s %p', (id, json, edits, expected) => {
    expect(edit(id, json, edits)).toBe(expected)
  })

  test.each([
    ['gpt-5', 'max_completion_tokens'],
    ['mistral-large', 'max_tokens'],
  ])('chat: %s gets a cap under the name that it knows', (model, cap) => {
    expect(JSON.parse(edit('chat', ask('chat'), { model, maxOutput: 20 }))).toMatchObject({ [cap]: 20 })
  })

  test.each([
    '"generationConfig":{"maxOutputTokens":5},"generation_config":{"max_output_tokens":50000}',
    '"generation_config":{"maxOutputTokens":50000,"max_output_tokens":5}',
    '"generationConfig":{"maxOutputTokens":50000,"maxOutputTokens":5}',
    '"generationConfig":{"candidateCount":1,"candidate_count":8}',
    '"serviceTier":"default","service_tier":"priority"',
    '"cachedContent":"","cached_content":"cachedContents/1"',
  ])('a duplicate field is rejected, since the vendor may read the other one: %s', (members) => {
    expect(() => read('generate-content', ask('generate-content', members))).toThrow(/ twice/)
  })

  test('a lower cap stays above the budget for thinking, as the vendor demands', () => {
    const json = ask('messages', '"thinking":{ "type":"enabled", "budget_tokens":8000 }').replace('900', '20000')
    expect(JSON.parse(edit('messages', json, { maxOutput: 5_000 }))).toMatchObject({
      max_tokens: 5_000,
      thinking: { type: 'enabled', budget_tokens: 4_999 },
    })
    expect(JSON.parse(edit('messages', json, { maxOutput: 1_000 }))).toMatchObject({
      max_tokens: 1_000,
      thinking: { type: 'disabled' },
    })
    expect(JSON.parse(edit('messages', json, { maxOutput: 9_000 }))).toMatchObject({
      max_tokens: 9_000,
      thinking: { budget_tokens: 8_000 },
    })
  })

  test('no edits: the same array', () => {
    for (const id of Object.keys(DIALECTS) as Id[]) {
      const bytes = bytesOf(ask(id))
      const request = DIALECTS[id].readRequest(bytes, bufferCodec, { model: 'm', stream: false })
      const pieces = request.edited({})
      expect(pieces).toHaveLength(1)
      expect(pieces[0]).toBe(bytes)
    }
  })

  test('unknown fields of any shape survive every edit', () => {
    const edits: PassThroughEdits = { model: 'other', maxOutput: 3, endUser: 'h', cacheKey: 'k' }
    const extra = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 3 }), {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(extra, fc.constantFrom(...(Object.keys(DIALECTS) as Id[])), (more, id) => {
        const before = { ...JSON.parse(ask(id)), ...JSON.parse(JSON.stringify(more)) }
        const after = JSON.parse(edit(id, JSON.stringify(before, null, 1), edits))
        for (const name of Object.keys(more)) expect(after[name]).toEqual(before[name])
        expect(JSON.stringify(after)).toContain('3')
      }),
    )
  })
})

test('edits are joined', () => {
  const joined = joinEdits([
    { model: 'a', set: { x: '1' }, remove: ['r'], withoutTools: ['t'] },
    { maxOutput: 3, set: { y: '2', x: '3' }, remove: ['s'], withoutTools: ['u'] },
  ])
  expect(joined).toEqual({
    model: 'a',
    maxOutput: 3,
    set: { x: '3', y: '2' },
    remove: ['r', 's'],
    withoutTools: ['t', 'u'],
  })
})
