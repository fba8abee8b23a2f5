// Invalid requests of the chat and the responses dialect.
/** `with`: fields to replace or add; `text`: the whole body, with MODEL in place of the model. */
export type Bad = [name: string, bad: { with: Record<string, unknown> } | { text: string }, field: string | undefined]

export const NESTED = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
export const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const TOOL = { type: 'function', function: { name: 'tide', parameters: { type: 'object' } } }
const FUNCTION = { type: 'function', name: 'tide', parameters: { type: 'object' } }

export const CHAT: Bad[] = [
  ['a name in another case', { with: { Model: 'x' } }, 'Model'],
  ['a name in another case, in a long body', { with: { MAX_TOKENS: 9, x: 'x'.repeat(100_000) } }, 'MAX_TOKENS'],
  ['not JSON', { text: 'hello' }, undefined],
  ['cut JSON', { text: '{"model":"MODEL","messages":[{"role":"user","content":"hi"}]' }, undefined],
  ['an array', { text: '[]' }, undefined],
  ['no model', { with: { model: undefined } }, 'model'],
  ['a NUL in the model', { with: { model: 'a\u0000b' } }, 'model'],
  [
    'half a character in the model',
    { text: '{"model":"\\ud800","messages":[{"role":"user","content":"hi"}]}' },
    'model',
  ],
  [
    'half a character in an id',
    { text: '{"model":"MODEL","user":"\\ud800","messages":[{"role":"user","content":"hi"}]}' },
    'user',
  ],
  ['__proto__', { text: '{"__proto__":{},"model":"MODEL","messages":[{"role":"user","content":"hi"}]}' }, '__proto__'],
  ['nesting without end', { text: `{"model":"MODEL","messages":${NESTED}}` }, undefined],
  ['no messages', { with: { messages: undefined } }, 'messages'],
  ['a message that is text', { with: { messages: ['hi'] } }, 'messages[0]'],
  ['a message without a role', { with: { messages: [{ content: 'hi' }] } }, 'messages[0].role'],
  ['an unknown role', { with: { messages: [{ role: 'robot', content: 'hi' }] } }, 'messages[0].role'],
  ['content a number', { with: user(7) }, 'messages[0].content'],
  ['no content', { with: { messages: [{ role: 'user' }] } }, 'messages[0].content'],
  ['a part that is text', { with: user(['hi']) }, 'messages[0].content[0]'],
  ['a part without a type', { with: user([{ text: 'hi' }]) }, 'messages[0].content[0].type'],
  ['a text part without text', { with: user([{ type: 'text' }]) }, 'messages[0].content[0].text'],
  [
    'image_url as a plain string',
    { with: user([{ type: 'image_url', image_url: 'https://x.example/a.png' }]) },
    'messages[0].content[0].image_url',
  ],
  [
    'an image without an address',
    { with: user([{ type: 'image_url', image_url: {} }]) },
    'messages[0].content[0].image_url.url',
  ],
  [
    'an image with an address that is none',
    { with: user([{ type: 'image_url', image_url: { url: 'a.png' } }]) },
    'messages[0].content[0].image_url.url',
  ],
  [
    'audio without data',
    { with: user([{ type: 'input_audio', input_audio: { format: 'wav' } }]) },
    'messages[0].content[0].input_audio.data',
  ],
  ['a file without anything', { with: user([{ type: 'file', file: {} }]) }, 'messages[0].content[0].file'],
  [
    'a tool result without an id',
    {
      with: {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'tool', content: '5' },
        ],
      },
    },
    'messages[1].tool_call_id',
  ],
  [
    'a call without a function',
    { with: { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }] } },
    'messages[0].tool_calls[0].function',
  ],
  [
    'a call without a name',
    {
      with: {
        messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { arguments: '{}' } }] }],
      },
    },
    'messages[0].tool_calls[0].function.name',
  ],
  ['tools an object', { with: { tools: {} } }, 'tools'],
  ['a tool without a function', { with: { tools: [{ type: 'function' }] } }, 'tools[0].function'],
  ['a tool without a name', { with: { tools: [{ type: 'function', function: {} }] } }, 'tools[0].function.name'],
  [
    'parameters a string',
    { with: { tools: [{ type: 'function', function: { name: 'a', parameters: 'x' } }] } },
    'tools[0].function.parameters',
  ],
  ['tool_choice an unknown word', { with: { tools: [TOOL], tool_choice: 'always' } }, 'tool_choice'],
  [
    'tool_choice an unknown tool',
    { with: { tools: [TOOL], tool_choice: { type: 'function', function: { name: 'wind' } } } },
    'tool_choice',
  ],
  ['tool_choice required without tools', { with: { tool_choice: 'required' } }, 'tool_choice'],
  ['max_tokens negative', { with: { max_tokens: -1 } }, 'max_tokens'],
  ['max_completion_tokens huge', { with: { max_completion_tokens: 1e15 } }, 'max_completion_tokens'],
  ['temperature above', { with: { temperature: 2.01 } }, 'temperature'],
  ['top_p a string', { with: { top_p: '1' } }, 'top_p'],
  ['n huge', { with: { n: 1_000_000 } }, 'n'],
  ['stop an object', { with: { stop: {} } }, 'stop'],
  ['presence_penalty a string', { with: { presence_penalty: 'x' } }, 'presence_penalty'],
  ['logit_bias a list', { with: { logit_bias: [] } }, 'logit_bias'],
  ['response_format a string', { with: { response_format: 'json' } }, 'response_format'],
  ['a schema without a schema', { with: { response_format: { type: 'json_schema' } } }, 'response_format.json_schema'],
  ['stream_options a list', { with: { stream: true, stream_options: [] } }, 'stream_options'],
  ['stream a string', { with: { stream: 'yes' } }, 'stream'],
]

export const RESPONSES: Bad[] = [
  ['a name in another case', { with: { Prompt_Cache_Key: 'x' } }, 'Prompt_Cache_Key'],
  ['not JSON', { text: 'hello' }, undefined],
  ['cut JSON', { text: '{"model":"MODEL","input":"hi"' }, undefined],
  ['null', { text: 'null' }, undefined],
  ['no model', { with: { model: undefined } }, 'model'],
  ['model a number', { with: { model: 7 } }, 'model'],
  ['a NUL in the model', { with: { model: 'a\u0000b' } }, 'model'],
  ['half a character in the model', { text: '{"model":"a\\ud800","input":"hi"}' }, 'model'],
  [
    'half a character in an id',
    { text: '{"model":"MODEL","input":"hi","safety_identifier":"\\ud800"}' },
    'safety_identifier',
  ],
  ['a NUL in the cache key', { with: { prompt_cache_key: 'a\u0000' } }, 'prompt_cache_key'],
  ['__proto__', { text: '{"__proto__":{},"model":"MODEL","input":"hi"}' }, '__proto__'],
  ['nesting without end', { text: `{"model":"MODEL","input":${NESTED}}` }, undefined],
  ['no input', { with: { input: undefined } }, 'input'],
  ['input a number', { with: { input: 7 } }, 'input'],
  ['input empty', { with: { input: [] } }, 'input'],
  ['an item that is text', { with: { input: ['hi'] } }, 'input[0]'],
  ['an item with an unknown role', { with: { input: [{ role: 'robot', content: 'x' }] } }, 'input[0].role'],
  ['a message without content', { with: { input: [{ role: 'user' }] } }, 'input[0].content'],
  [
    'a text part without text',
    { with: { input: [{ role: 'user', content: [{ type: 'input_text' }] }] } },
    'input[0].content[0].text',
  ],
  [
    'an image address as an object',
    {
      with: {
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: { url: 'https://x.example/a' } }] }],
      },
    },
    'input[0].content[0].image_url',
  ],
  [
    'an image without anything',
    { with: { input: [{ role: 'user', content: [{ type: 'input_image' }] }] } },
    'input[0].content[0].image_url',
  ],
  [
    'a file without anything',
    { with: { input: [{ role: 'user', content: [{ type: 'input_file' }] }] } },
    'input[0].content[0].file_data',
  ],
  ['a result without an id', { with: { input: [{ type: 'function_call_output', output: '5' }] } }, 'input[0].call_id'],
  [
    'a result without an output',
    { with: { input: [{ type: 'function_call_output', call_id: 'a' }] } },
    'input[0].output',
  ],
  [
    'a call without a name',
    { with: { input: [{ type: 'function_call', call_id: 'a', arguments: '{}' }] } },
    'input[0].name',
  ],
  [
    'a call without an id',
    { with: { input: [{ type: 'function_call', name: 'a', arguments: '{}' }] } },
    'input[0].call_id',
  ],
  ['instructions a number', { with: { instructions: 7 } }, 'instructions'],
  ['tools an object', { with: { tools: {} } }, 'tools'],
  ['a tool without a type', { with: { tools: [{ name: 'a' }] } }, 'tools[0].type'],
  ['a tool without a name', { with: { tools: [{ type: 'function' }] } }, 'tools[0].name'],
  ['tool_choice an unknown word', { with: { tools: [FUNCTION], tool_choice: 'always' } }, 'tool_choice'],
  [
    'tool_choice an unknown tool',
    { with: { tools: [FUNCTION], tool_choice: { type: 'function', name: 'wind' } } },
    'tool_choice',
  ],
  ['max_output_tokens negative', { with: { max_output_tokens: -1 } }, 'max_output_tokens'],
  ['max_output_tokens huge', { with: { max_output_tokens: 1e15 } }, 'max_output_tokens'],
  ['max_output_tokens broken', { with: { max_output_tokens: 1.5 } }, 'max_output_tokens'],
  ['temperature above', { with: { temperature: 3 } }, 'temperature'],
  ['top_p below', { with: { top_p: -1 } }, 'top_p'],
  ['top_logprobs above', { with: { top_logprobs: 50 } }, 'top_logprobs'],
  ['reasoning a string', { with: { reasoning: 'high' } }, 'reasoning'],
  ['an unknown effort', { with: { reasoning: { effort: 7 } } }, 'reasoning.effort'],
  ['text a string', { with: { text: 'json' } }, 'text'],
  [
    'a schema without a schema',
    { with: { text: { format: { type: 'json_schema', name: 'x' } } } },
    'text.format.schema',
  ],
  ['metadata a list', { with: { metadata: [] } }, 'metadata'],
  ['include a string', { with: { include: 'all' } }, 'include'],
  ['stream a string', { with: { stream: 'yes' } }, 'stream'],
  ['an unknown previous_response_id', { with: { previous_response_id: 'resp_1' } }, 'previous_response_id'],
]
