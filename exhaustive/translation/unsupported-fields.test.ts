// Fields without an equivalent in the upstream's dialect. If dropping the field would change the meaning of the request:
// 400 naming the field as the caller wrote it, before the hold. Otherwise it is dropped, with a warning in a header and
// on the receipt.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { audit, newKey, type Row } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { callIn, errorIn, sandboxConfig } from '../../test/support/requests/dialect-calls.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({ config: sandboxConfig() })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"|request failed/)
  await gateway.stop()
})

type Targets = readonly TextDialectId[]
type More = Record<string, unknown>

const C = 'chat'
const R = 'responses'
const M = 'messages'
const G = 'generate-content'

const said = (content: unknown): More => ({ messages: [{ role: 'user', content }] })
const input = (...content: unknown[]): More => ({ input: [{ role: 'user', content }] })
const parts = (...list: unknown[]): More => ({ contents: [{ role: 'user', parts: list }] })
const chatTool = { type: 'function', function: { name: 'tide' } }
const responsesTool = { type: 'function', name: 'tide', parameters: { type: 'object' }, strict: false }
const messagesTool = { name: 'tide', input_schema: { type: 'object' } }
const declared = { functionDeclarations: [{ name: 'tide' }] }

const REJECTED: [client: TextDialectId, what: string, targets: Targets, more: More, field: string][] = [
  [
    C,
    'audio',
    [R, M],
    said([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }]),
    'messages[0].content[0]',
  ],
  [
    C,
    'a file kept at a vendor',
    [C, R, M, G],
    said([{ type: 'file', file: { file_id: 'file-1' } }]),
    'messages[0].content[0].file.file_id',
  ],
  [C, 'several answers', [R, M], { n: 2 }, 'n'],
  [
    C,
    'an answer to listen to',
    [C, R, M, G],
    { modalities: ['audio'], audio: { voice: 'x', format: 'wav' } },
    'modalities',
  ],
  [C, 'only a hosted tool', [R, M, G], { tools: [{ type: 'retrieval' }] }, 'tools[0]'],
  [
    C,
    'a forced hosted tool',
    [R, M, G],
    { tools: [{ type: 'retrieval' }, chatTool], tool_choice: { type: 'retrieval' } },
    'tool_choice or tools[0]',
  ],
  [
    R,
    'a file kept at a vendor',
    [C, R, M, G],
    input({ type: 'input_file', file_id: 'file-1' }),
    'input[0].content[0].file_id',
  ],
  [
    R,
    'an image kept at a vendor',
    [C, R, M, G],
    input({ type: 'input_image', file_id: 'file-1' }),
    'input[0].content[0].file_id',
  ],
  [R, 'an earlier response', [C, R, M, G], { previous_response_id: 'resp_1' }, 'previous_response_id'],
  [R, 'an item by its id', [C, M, G], { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].id'],
  [R, 'a conversation', [C, R, M, G], { conversation: 'conv_1' }, 'conversation'],
  [R, 'a template', [C, R, M, G], { prompt: { id: 'pmpt_1' } }, 'prompt.id'],
  [R, 'only a hosted tool', [C, M, G], { tools: [{ type: 'local_shell' }] }, 'tools[0]'],
  [
    R,
    'a forced hosted tool',
    [C, M, G],
    { tools: [{ type: 'local_shell' }, responsesTool], tool_choice: { type: 'local_shell' } },
    'tool_choice or tools[0]',
  ],
  [
    R,
    'a compaction, which stands for the conversation',
    [C, M, G],
    {
      input: [
        { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' },
        { role: 'user', content: 'And?' },
      ],
    },
    'input[0]',
  ],
  [
    M,
    'a compaction, which stands for the conversation',
    [C, R, G],
    {
      messages: [
        { role: 'assistant', content: [{ type: 'compaction', content: 'So far.' }] },
        { role: 'user', content: 'And?' },
      ],
    },
    'messages[0].content[0]',
  ],
  [
    G,
    'a choice',
    [C, R, M],
    { generationConfig: { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a', 'b'] } } },
    'generationConfig.responseMimeType',
  ],
  [
    G,
    'code that was run, with what it printed',
    [C, R, M],
    {
      contents: [
        { role: 'user', parts: [{ text: 'What is 6 * 7?' }] },
        {
          role: 'model',
          parts: [
            { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } },
            { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42' } },
          ],
        },
        { role: 'user', parts: [{ text: 'And twice that?' }] },
      ],
    },
    'contents[1].parts[0].executableCode',
  ],
  [R, 'a priced tool alone', [C, R, M, G], { tools: [{ type: 'file_search' }] }, 'tools[0]'],
  [
    M,
    'a file kept at a vendor',
    [C, R, M, G],
    said([{ type: 'image', source: { type: 'file', file_id: 'file_1' } }]),
    'messages[0].content[0].source.file_id',
  ],
  [
    M,
    'a source of another kind',
    [C, R, G],
    said([{ type: 'image', source: { type: 'magic' } }]),
    'messages[0].content[0]',
  ],
  [M, 'only a hosted tool', [C, R, G], { tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools[0]'],
  [
    M,
    'a forced hosted tool',
    [C, R, G],
    { tools: [{ type: 'bash_20250124', name: 'bash' }, messagesTool], tool_choice: { type: 'tool', name: 'bash' } },
    'tool_choice or tools[0]',
  ],
  [
    G,
    'video',
    [C, R, M],
    parts({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
    'contents[0].parts[0].inlineData',
  ],
  [
    G,
    'audio',
    [R, M],
    parts({ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }),
    'contents[0].parts[0].inlineData',
  ],
  [
    G,
    'a file kept at a vendor',
    [C, R, M, G],
    parts({ fileData: { fileUri: 'files/abc', mimeType: 'image/png' } }),
    'contents[0].parts[0].fileData.fileUri',
  ],
  [G, 'cached content', [C, R, M, G], { cachedContent: 'cachedContents/1' }, 'cachedContent'],
  [G, 'several answers', [R, M], { generationConfig: { candidateCount: 2 } }, 'generationConfig.candidateCount'],
  [
    G,
    'an image as the answer',
    [C, M],
    { generationConfig: { responseModalities: ['IMAGE'] } },
    'generationConfig.responseModalities',
  ],
  [G, 'only a hosted tool', [C, R, M], { tools: [{ codeExecution: {} }] }, 'tools[0].codeExecution'],
]

const DROPPED: [client: TextDialectId, targets: Targets, more: More, warning: string][] = [
  [C, [R], { top_k: 5 }, 'top_k;dropped'],
  [C, [R, M], { seed: 7 }, 'seed;dropped'],
  [C, [R, M], { presence_penalty: 1 }, 'presence_penalty;dropped'],
  [C, [R, M], { frequency_penalty: 1 }, 'frequency_penalty;dropped'],
  [C, [R, M, G], { logit_bias: { '5': 1 } }, 'logit_bias;dropped'],
  [C, [M], { logprobs: true, top_logprobs: 2 }, 'logprobs;dropped'],
  [C, [R], { stop: 'END' }, 'stop;dropped'],
  [C, [M, G], { verbosity: 'low' }, 'verbosity;dropped'],
  [C, [M], { store: true }, 'store;dropped'],
  [C, [M], { metadata: { a: 'b' } }, 'metadata;dropped'],
  [C, [M], { temperature: 1.5 }, 'temperature;clipped'],
  [C, [R, M, G], { prediction: { type: 'content', content: 'x' } }, 'prediction;dropped'],
  [C, [R, M, G], { tools: [{ type: 'retrieval' }, chatTool] }, 'tools;dropped'],
  [C, [C, R, M, G], { service_tier: 'priority' }, 'service_tier;no-price'],
  [R, [M], { top_logprobs: 2 }, 'top_logprobs;dropped'],
  [R, [M, G], { text: { verbosity: 'low' } }, 'text.verbosity;dropped'],
  [R, [C, M, G], { truncation: 'auto' }, 'truncation;dropped'],
  [R, [C, M, G], { max_tool_calls: 3 }, 'max_tool_calls;dropped'],
  [R, [M], { temperature: 1.5 }, 'temperature;clipped'],
  [R, [M, G], { prompt_cache_retention: '24h' }, 'prompt_cache_retention;dropped'],
  [
    M,
    [C, R, G],
    said([
      {
        type: 'search_result',
        title: 't',
        source: 's',
        citations: { enabled: true },
        content: [{ type: 'text', text: 'found' }],
      },
      { type: 'text', text: 'hi' },
    ]),
    'messages.content.citations;dropped',
  ],
  [R, [M], { metadata: { a: 'b' } }, 'metadata;dropped'],
  [R, [C, M, G], { tools: [{ type: 'local_shell' }, responsesTool] }, 'tools;dropped'],
  [M, [R], { top_k: 5 }, 'top_k;dropped'],
  [M, [R], { stop_sequences: ['END'] }, 'stop_sequences;dropped'],
  [M, [C, R, G], { container: null, context_management: { edits: [] } }, 'context_management;dropped'],
  [M, [C, R, G], { tools: [{ type: 'bash_20250124', name: 'bash' }, messagesTool] }, 'tools;dropped'],
  [M, [C, R, G], said([{ type: 'text', text: 'hi' }, { type: 'hologram' }]), 'messages;dropped'],
  [G, [R], { generationConfig: { topK: 5 } }, 'generationConfig.topK;dropped'],
  [G, [R, M], { generationConfig: { seed: 5 } }, 'generationConfig.seed;dropped'],
  [G, [R, M], { generationConfig: { presencePenalty: 1 } }, 'generationConfig.presencePenalty;dropped'],
  [G, [R, M], { generationConfig: { frequencyPenalty: 1 } }, 'generationConfig.frequencyPenalty;dropped'],
  [G, [R], { generationConfig: { stopSequences: ['END'] } }, 'generationConfig.stopSequences;dropped'],
  [G, [M], { generationConfig: { responseLogprobs: true } }, 'generationConfig.responseLogprobs;dropped'],
  [G, [M], { generationConfig: { temperature: 1.5 } }, 'generationConfig.temperature;clipped'],
  [
    G,
    [C, R, M],
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
    'safetySettings;dropped',
  ],
  [G, [C, R, M], { tools: [{ codeExecution: {} }, declared] }, 'tools;dropped'],
]

const rejectedRows = REJECTED.flatMap(([client, what, targets, more, field]) =>
  targets.map((upstream) => [client, what, upstream, more, field] as const),
)

describe('rejected', () => {
  test.each(rejectedRows)('%s: %s, for %s', async (client, _, upstream, more, field) => {
    const { secret, rows, account } = await newKey(gateway)
    for (const streamed of [false, true]) {
      const response = await callIn(client, gateway.url, secret, { model: `over-${upstream}`, streamed, more })
      const body = await response.json()
      const seen = errorIn(client, body).field ?? ''
      expect([response.status, field.split(' or ').includes(seen) ? field : seen]).toEqual([400, field])
    }
    expect(await rows()).toEqual([])
    expect((await account()).held_usd).toBe('0.00')
  })
})

const droppedRows = DROPPED.flatMap(([client, targets, more, warning]) =>
  targets.map((upstream) => [client, warning, upstream, more] as const),
)

const listed = (response: Response): string[] => response.headers.get('x-trivium-warnings')?.split(', ') ?? []

describe('dropped', () => {
  test.each(droppedRows)('%s: %s, for %s', async (client, warning, upstream, more) => {
    const { secret, settled } = await newKey(gateway)
    for (const streamed of [false, true]) {
      const response = await callIn(client, gateway.url, secret, { model: `over-${upstream}`, streamed, more })
      const text = await response.text()
      expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
      expect(listed(response)).toContain(warning)
      const [row] = await settled()
      expect(row?.receipt?.warnings).toEqual(listed(response))
    }
  })
})

test('the receipt on the command line says the same', async () => {
  const { secret, email } = await newKey(gateway)
  const more = { seed: 7, presence_penalty: 1 }
  const response = await callIn('chat', gateway.url, secret, { model: 'over-messages', more })
  const rows = await gateway.command<Row[]>('usage', '--account', email)
  expect(rows[0]?.receipt?.warnings).toEqual(listed(response))
  expect(listed(response).toSorted()).toEqual(['presence_penalty;dropped', 'seed;dropped'])
})

test('any number of names of any length: bounded in the header and on the receipt', async () => {
  const { secret, settled, rows } = await newKey(gateway)
  const one = await callIn('chat', gateway.url, secret, {
    model: 'over-messages',
    more: { ['x'.repeat(1_000_000)]: 1 },
  })
  expect(one.status).toBe(200)
  expect(listed(one)).toEqual([`${'x'.repeat(197)}...;dropped`])
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}${'\u0001'.repeat(150)}`, 1]))
  const two = await callIn('chat', gateway.url, secret, { model: 'over-messages', more: many })
  expect([two.status, two.status === 200 ? '' : await two.text()]).toEqual([200, ''])
  expect(two.headers.get('x-trivium-warnings')?.length).toBeLessThanOrEqual(1_024)
  expect(listed(two).at(-1)).toBe('warnings;cut')
  await settled()
  for (const { receipt } of await rows()) expect(JSON.stringify(receipt).length).toBeLessThanOrEqual(16 * 1024)
})
