// Where each dialect names URLs for its upstream to fetch or to call, and where something only looks like one.
import { describe, expect, test } from 'bun:test'
import { type Id, read } from '../../../../fixtures/shared/pass-through-requests.ts'

const U = 'http://10.0.0.1/x'

const BASE: Record<Id, object> = {
  chat: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', input: 'hi' },
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
}

const urls = (id: Id, more: object) =>
  read(id, JSON.stringify({ ...BASE[id], ...more }))
    .urls.filter(({ url }) => url === U)
    .map(({ field }) => field)

const chatPart = (part: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: U }, part] }] })
const item = (part: object) => ({ input: [{ role: 'user', content: [part] }] })
const block = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const parts = (...given: object[]) => ({ contents: [{ role: 'user', parts: given }] })
const CALL = { type: 'tool_use', id: 't', name: 'f', input: { url: U } }
const FUNCTION = { name: 'f', parameters: { type: 'object', properties: { url: { type: 'string', default: U } } } }

const NAMED: [Id, object, string][] = [
  ['chat', chatPart({ type: 'image_url', image_url: { url: U } }), 'messages[0].content[1].image_url.url'],
  ['chat', { mcp_servers: [{ type: 'url', url: U }] }, 'mcp_servers[0].url'],
  ['chat', { search_parameters: { sources: [{ type: 'rss', links: [U] }] } }, 'search_parameters.sources[0].links[0]'],
  [
    'chat',
    { data_sources: [{ type: 'azure_search', parameters: { endpoint: U } }] },
    'data_sources[0].parameters.endpoint',
  ],
  ['chat', { callback_url: U }, 'callback_url'],
  ['chat', { messages: [{ role: 'user', content: 'a', images: [U] }] }, 'messages[0].images[0]'],
  ['chat', { tools: [{ type: 'mcp', mcp: { server_url: U } }] }, 'tools[0].mcp.server_url'],
  ['responses', item({ type: 'input_image', image_url: U }), 'input[0].content[0].image_url'],
  ['responses', item({ type: 'input_file', file_url: U }), 'input[0].content[0].file_url'],
  [
    'responses',
    { tools: [{ type: 'mcp', server_label: 'a', server_url: U, require_approval: 'never' }] },
    'tools[0].server_url',
  ],
  [
    'responses',
    { tools: [{ type: 'image_generation', input_image_mask: { image_url: U } }] },
    'tools[0].input_image_mask.image_url',
  ],
  [
    'responses',
    {
      input: [
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: U }] },
      ],
    },
    'input[1].output[0].image_url',
  ],
  ['messages', block({ type: 'image', source: { type: 'url', url: U } }), 'messages[0].content[0].source.url'],
  ['messages', block({ type: 'document', source: { type: 'url', url: U } }), 'messages[0].content[0].source.url'],
  ['messages', { mcp_servers: [{ type: 'url', name: 'a', url: U }] }, 'mcp_servers[0].url'],
  ['generate-content', parts({ fileData: { fileUri: U, mimeType: 'a/b' } }), 'contents[0].parts[0].fileData.fileUri'],
  [
    'generate-content',
    parts({ file_data: { file_uri: U, mime_type: 'a/b' } }),
    'contents[0].parts[0].file_data.file_uri',
  ],
  [
    'generate-content',
    { tools: [{ mcpServers: [{ name: 'a', streamableHttpTransport: { url: U } }] }] },
    'tools[0].mcpServers[0].streamableHttpTransport.url',
  ],
]

const NONE: [Id, object][] = [
  [
    'chat',
    {
      messages: [{ role: 'user', content: U }],
      metadata: { url: U },
      tools: [{ type: 'function', function: FUNCTION }],
    },
  ],
  [
    'chat',
    {
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: `{"url":"${U}"}` } }],
        },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: U }] },
      ],
    },
  ],
  ['responses', { instructions: U, tools: [{ type: 'function', ...FUNCTION, strict: false }] }],
  [
    'responses',
    {
      input: [
        {
          type: 'message',
          role: 'assistant',
          id: 'm',
          status: 'completed',
          content: [
            {
              type: 'output_text',
              text: U,
              annotations: [{ type: 'url_citation', url: U, title: 't', start_index: 0, end_index: 1 }],
            },
          ],
        },
        { type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'open_page', url: U } },
        { role: 'user', content: 'go on' },
      ],
    },
  ],
  [
    'messages',
    {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [CALL] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: U }] },
            { type: 'search_result', source: U, title: U, content: [{ type: 'text', text: U }] },
          ],
        },
      ],
      tools: [{ name: 'f', input_schema: FUNCTION.parameters }],
    },
  ],
  [
    'messages',
    {
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: U } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 's',
              content: [{ type: 'web_search_result', url: U, title: 't', encrypted_content: 'e' }],
            },
          ],
        },
        { role: 'user', content: 'go on' },
      ],
    },
  ],
  [
    'generate-content',
    {
      contents: [
        { role: 'user', parts: [{ text: U }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { url: U } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { url: U } } }] },
      ],
      tools: [{ functionDeclarations: [FUNCTION] }],
      labels: { url: U },
    },
  ],
]

describe('named for the upstream', () => {
  test.each(NAMED)('%s %j', (id, more, field) => expect(urls(id, more)).toEqual([field]))
})

describe('read by the model alone', () => {
  test.each(NONE)('%s %j', (id, more) => expect(urls(id, more)).toEqual([]))
})
