// What is particular to one dialect, or to all of them at once, as it is on the wire.
import { expect, test } from 'bun:test'
import { PDF, PIXEL } from '../../test-support/driver.ts'
import { createSandbox } from '../handler.ts'
import { SANDBOX_PATHS } from '../paths.ts'
import { signatureOf } from './signature.ts'

type Json = Record<string, unknown>
const sandbox = createSandbox({ faults: false, pace: 0, clock: () => 1_767_225_600_999 })
const VERSION = { 'anthropic-version': '2023-06-01' }

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  sandbox(
    new Request(`http://sandbox${path}`, {
      method: 'POST',
      headers: { 'x-api-key': 'any', ...headers },
      body: JSON.stringify(body),
    }),
  )
const json = async (answer: Response) => JSON.parse(await answer.text())

const message = (content: unknown) => ({
  model: 'sandbox-text',
  max_tokens: 99,
  messages: [{ role: 'user', content }],
})
const contents = (part: unknown, extra: Json = {}) => ({ contents: [{ role: 'user', parts: [part] }], ...extra })
const hello = { role: 'user', content: 'Hello' }
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] }

test('generate-content takes either spelling of names, either alphabet of base64, and the documented dummies', async () => {
  const signature = signatureOf('f')
  const safe = signature.replaceAll('+', '-').replaceAll('/', '_')
  for (const [signature, signed] of [
    [safe, 1],
    ['skip_thought_signature_validator', 0],
  ]) {
    const answer = await post('/v1beta/models/sandbox-text:generateContent', {
      system_instruction: { parts: [{ text: 'Be terse.' }] },
      generation_config: { max_output_tokens: 200 },
      contents: [
        { role: 'user', parts: [{ text: 'Look' }, { inline_data: { mime_type: 'audio/wav', data: '-_-_' } }] },
        { role: 'model', parts: [{ function_call: { name: 'f', args: { a_b: 1 } }, thought_signature: signature }] },
        { role: 'model', parts: [{ text: '' }] },
        { role: 'user', parts: [{ function_response: { name: 'f', response: { some_thing: 1 } } }] },
      ],
    })
    const text = (await json(answer)).candidates[0].content.parts[0].text
    const returned = signed ? '\n- reasoning returned: 1 signed, 0 unsigned' : ''
    expect(text).toBe(`[sandbox] The tool f returned: {"some_thing":1}${returned}`)
  }
})

test('several candidates, single and streamed', async () => {
  const body = contents({ text: 'Hello' }, { generationConfig: { candidateCount: 3 } })
  const single = await json(await post('/v1beta/models/sandbox-text:generateContent', body))
  const chunks = await json(await post('/v1beta/models/sandbox-text:streamGenerateContent?alt=json', body))
  const texts: string[] = single.candidates.map((candidate: Json) => Object(candidate).content.parts[0].text)
  expect(texts[2]).toStartWith('[sandbox] (choice 3) You said: Hello')
  const streamed = ['', '', '']
  for (const { candidates } of chunks) streamed[candidates[0].index] += candidates[0].content.parts[0].text
  expect(streamed).toEqual(texts)
  expect(chunks.at(-1).usageMetadata).toEqual(single.usageMetadata)
})

test('an answer that the content filter blocks', async () => {
  const prompt = 'Please be filtered.'
  const said = await Promise.all([
    post('/v1/chat/completions', { model: 'sandbox-text', messages: [{ role: 'user', content: prompt }] }).then(json),
    post('/v1/responses', { model: 'sandbox-text', input: prompt }).then(json),
    post('/v1/messages', message(prompt), VERSION).then(json),
    post('/v1beta/models/sandbox-text:generateContent', contents({ text: prompt })).then(json),
  ])
  expect(said).toMatchObject([
    { choices: [{ message: { content: null }, finish_reason: 'content_filter' }] },
    { output: [], status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    { content: [], stop_reason: 'refusal' },
    { promptFeedback: { blockReason: 'SAFETY' } },
  ])
  expect(said[3]).not.toHaveProperty('candidates')
})

test('media in tool results are described', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }
  const result = { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'see' }, image] }
  const again = { type: 'text', text: 'And?' }
  const document = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } }
  const messages = [hello, use, { role: 'user', content: [result, again, document] }]
  const { content } = await json(await post('/v1/messages', { ...message('x'), messages }, VERSION))
  expect(content[0].text).toContain('You said: And?\n')
  expect(content[0].text).toContain('- attachments: image image/png 70 bytes; file application/pdf 30 bytes')
})

test.each([
  ['/v1/responses/resp_1', { error: { type: 'invalid_request_error', code: 'unknown_url' } }],
  ['/v1/messages/batches', { type: 'error', error: { type: 'not_found_error' } }],
  ['/v1beta/models/sandbox-text:embedContent', { error: { code: 404, status: 'NOT_FOUND' } }],
  ['/v1beta/models/:generateContent', { error: { code: 404, status: 'NOT_FOUND' } }],
  ['/chat/completions', { error: { type: 'invalid_request_error', code: 'unknown_url' } }],
])('POST %s is a 404 in the dialect of its prefix', async (path, form) => {
  const answer = await post(path, {})
  expect([answer.status, await json(answer)]).toMatchObject([404, form])
})

test.each([
  [{ authorization: 'Bearer x' }, ''],
  [{ 'x-api-key': 'x' }, ''],
  [{ 'x-goog-api-key': 'x' }, ''],
  [{}, '?key=x'],
])('any key is accepted wherever an SDK sends it: %j %s', async (headers, query) => {
  const ask = (key: object, search: string) =>
    sandbox(new Request(`http://sandbox/v1beta/models${search}`, { headers: { ...key } }))
  expect([(await ask(headers, query)).status, (await ask({}, '')).status]).toEqual([200, 401])
})

function editForm(): FormData {
  const form = new FormData()
  form.append('model', 'sandbox-image')
  form.append('prompt', 'x')
  form.append('image', new File([Buffer.from(PNG, 'base64')], 'a.png'))
  return form
}

function audioForm(): FormData {
  const form = new FormData()
  form.append('model', 'sandbox-transcription')
  form.append('file', new File(['x'], 'a.mp3'))
  return form
}

const FORMS: Readonly<Record<string, () => FormData>> = {
  '/v1/images/edits': editForm,
  '/v1/audio/transcriptions': audioForm,
  '/v1/audio/translations': audioForm,
}

const VECTORS = 'sandbox-embedding'
/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

test('every path of the list is served', async () => {
  const ranking = { model: 'sandbox-rerank', query: 'x', documents: ['x'] }
  const embedded = { content: { parts: [{ text: 'x' }] } }
  const bodies: Json = {
    '/v1/chat/completions': { model: 'sandbox-text', messages: [hello] },
    '/v1/messages': message('x'),
    '/v1/completions': { model: 'sandbox-text', prompt: 'x' },
    '/v1/fim/completions': { model: 'sandbox-text', prompt: 'x' },
    '/beta/completions': { model: 'sandbox-text', prompt: 'x' },
    '/v1/messages/count_tokens': { model: 'sandbox-text', messages: [hello] },
    '/v1/images/generations': { model: 'sandbox-image', prompt: 'x', size: '64x64' },
    '/v1/rerank': ranking,
    '/v2/rerank': ranking,
    '/rerank': ranking,
    '/v1/moderations': { model: 'sandbox-moderation', input: 'x' },
    '/v1/audio/speech': { model: 'sandbox-speech', input: 'x', voice: 'alloy' },
    '/api/v3/contents/generations/tasks': { model: 'sandbox-video', content: [{ type: 'text', text: 'x --dur 1' }] },
    '/v1beta/models/{model}:predictLongRunning': { instances: [{ prompt: 'x' }] },
    '/v1/embeddings': { model: 'sandbox-embedding', input: 'x' },
    '/v1/embed': { model: 'sandbox-embedding', texts: ['x'] },
    '/v2/embed': { model: 'sandbox-embedding', texts: ['x'] },
    '/v1beta/models/{model}:embedContent': embedded,
    '/v1beta/models/{model}:batchEmbedContents': { requests: [embedded] },
  }
  const headers = { 'x-api-key': 'x', ...VERSION }
  const tasks = '/api/v3/contents/generations/tasks'
  const before = createSandbox({ faults: false, clock: () => 1_767_225_500_000 })
  const submit = { method: 'POST', headers, body: JSON.stringify(bodies[tasks]) }
  for (const [, path] of SANDBOX_PATHS) {
    const [method = '', template = ''] = path.split(' ')
    // What most endpoints of the dialects below /v1 take.
    const usual = template.startsWith('/v1/') ? { model: 'sandbox-text', input: 'x' } : contents({ text: 'x' })
    const form = FORMS[template]
    const given = form ? form() : JSON.stringify(bodies[template] ?? usual)
    const body = method === 'POST' ? { body: given } : {}
    const models = { ':predictLongRunning': 'sandbox-video', ':embedContent': VECTORS, ':batchEmbedContents': VECTORS }
    const [, model = 'sandbox-text'] = Object.entries(models).find(([method]) => template.endsWith(method)) ?? []
    const { id } = await json(await before(new Request(`http://sandbox${tasks}`, submit)))
    const url = `http://sandbox${template
      .replace('{model}', model)
      .replace('{file}', Buffer.from(id).toString('hex'))
      .replace(/\{\w+\}/, id)}`
    const answer = await sandbox(new Request(url, { method, headers, ...body }))
    expect([path, answer.status]).toEqual([path, method === 'DELETE' ? 204 : 200])
  }
})

test('messages: the stop sequence is named, and cache tokens are counted separately', async () => {
  const prompt = 'cached 2 tokens, caching 3 tokens, no more than that'
  const answer = await json(await post('/v1/messages', { ...message(prompt), stop_sequences: ['zzz', 'You'] }, VERSION))
  expect(answer).toMatchObject({
    stop_reason: 'stop_sequence',
    stop_sequence: 'You',
    usage: { input_tokens: 13 - 5, cache_read_input_tokens: 2, cache_creation_input_tokens: 3 },
  })
})

test('messages: thinking without text on request, and still signed', async () => {
  const thinking = { type: 'adaptive', display: 'omitted' }
  const { content, usage } = await json(await post('/v1/messages', { ...message('think'), thinking }, VERSION))
  expect(content[0]).toEqual({ type: 'thinking', thinking: '', signature: signatureOf('') })
  expect(usage.output_tokens_details.thinking_tokens).toBeGreaterThan(0)
})

test('responses: encrypted content only on request; reasoning aloud is not a summary', async () => {
  const ask = async (input: string, include: string[]) =>
    (await json(await post('/v1/responses', { model: 'sandbox-text', input, include }))).output[0]
  const [plain, sealed, aloud] = await Promise.all([
    ask('think', []),
    ask('think', ['reasoning.encrypted_content']),
    ask('think aloud', []),
  ])
  const { text } = plain.summary[0]
  expect(plain).not.toHaveProperty('encrypted_content')
  expect(sealed.encrypted_content).toBe(signatureOf(text))
  expect([aloud.summary, aloud.content[0].type]).toEqual([[], 'reasoning_text'])
})

test('responses: a cut item and its response are marked as incomplete', async () => {
  const answer = await json(
    await post('/v1/responses', { model: 'sandbox-text', input: 'Hello', max_output_tokens: 3 }),
  )
  expect(answer).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ type: 'message', status: 'incomplete' }],
  })
})

test('generate-content: a cut call is left out; ids are there on request', async () => {
  const tools = [{ functionDeclarations: [{ name: 'f' }] }]
  const ask = async (text: string, maxOutputTokens: number) =>
    (
      await json(
        await post(
          '/v1beta/models/sandbox-text:generateContent',
          contents({ text }, { tools, generationConfig: { maxOutputTokens } }),
        ),
      )
    ).candidates[0]
  expect(await ask('call f with {"city":"Brest"}', 3)).toMatchObject({
    content: { parts: [{ text: '' }] },
    finishReason: 'MAX_TOKENS',
  })
  const [bare, named] = [await ask('call f', 99), await ask('call f with ids', 99)]
  expect(bare.content.parts[0].functionCall).toEqual({ name: 'f', args: {} })
  expect(named.content.parts[0].functionCall.id).toMatch(/^[0-9a-f]{24}$/)
})

test('custom tools of the responses dialect get free text, single and streamed', async () => {
  const body = { model: 'sandbox-text', input: 'run shell', tools: [{ type: 'custom', name: 'shell' }] }
  const item = { type: 'custom_tool_call', name: 'shell', input: '[sandbox] input', status: 'completed' }
  expect((await json(await post('/v1/responses', body))).output).toMatchObject([item])
  const streamed = await (await post('/v1/responses', { ...body, stream: true })).text()
  expect(streamed).toContain('event: response.custom_tool_call_input.delta\n')
  const last = streamed.trim().split('data: ').at(-1) ?? ''
  expect(JSON.parse(last).response.output).toMatchObject([item])
})

test('responses: events and items are numbered from 0, and each event has its name twice', async () => {
  const body = { model: 'sandbox-text', input: 'Think, explain, then call f', tools: [{ type: 'function', name: 'f' }] }
  const blocks = (await (await post('/v1/responses', { ...body, stream: true })).text()).trim().split('\n\n')
  const events = blocks.map((block) => {
    const [name = '', data = ''] = block.split('\n')
    return { ...JSON.parse(data.slice('data: '.length)), event: name.slice('event: '.length) }
  })
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  expect(events.every((event) => event.event === event.type)).toBe(true)
  const added = events.filter((event) => event.type === 'response.output_item.added')
  expect(added.map((event) => [event.output_index, event.item.type])).toEqual([
    [0, 'reasoning'],
    [1, 'message'],
    [2, 'function_call'],
  ])
  expect([events[0].type, events.at(-1).type]).toEqual(['response.created', 'response.completed'])
})
