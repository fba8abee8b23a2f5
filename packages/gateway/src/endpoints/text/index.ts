// Text: chat completions, responses, messages and generateContent, and the counting of their tokens.
import type { Endpoint, EndpointRoute } from '../endpoint.ts'
import { always, BOOLEAN, INTEGER, list, MAP, MODEL, NULLABLE, open, STREAM, STRING } from '../schema.ts'

const TEXT = 'sandbox-text'
const HELLO = { model: TEXT, messages: [{ role: 'user', content: 'Hello' }] }
const MESSAGES = { model: MODEL, messages: { ...list(open({ role: STRING })), minItems: 1 } }
const INPUT = { model: MODEL, input: { anyOf: [STRING, list()] } }
/** SDKs of the protocol send it; requests without it are rejected. */
const VERSION = {
  'anthropic-version': { type: 'string', in: 'header', required: true, example: '2023-06-01' },
} as const
const CONTENTS = open({ contents: list(open({ parts: list() })) })
const CONTENTS_EXAMPLE = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const IN_PATH = { model: { ...STRING, example: TEXT } }
const GENERATED = open({ candidates: list(), usageMetadata: MAP })
const RESPONSE = open({ id: STRING, object: always('response'), status: STRING, model: STRING, output: list() })

const COMPLETION: EndpointRoute = {
  body: {
    schema: open(
      { model: MODEL, prompt: { anyOf: [STRING, list()] } },
      {
        ...STREAM,
        suffix: STRING,
        max_tokens: INTEGER,
        n: INTEGER,
        echo: BOOLEAN,
        logprobs: INTEGER,
        best_of: INTEGER,
      },
    ),
    example: { model: TEXT, prompt: 'def add(a, b):', suffix: 'print(add(1, 2))', max_tokens: 50 },
  },
  responses: {
    200: {
      schema: open({ id: STRING, object: always('text_completion'), model: STRING, choices: list(), usage: MAP }),
      stream: true,
    },
  },
}

export const text = {
  title: 'Text',
  tag: 'Text',
  services: { completions: '/completions' },
  offered: ['chat completions', 'text completions', 'responses', 'messages', 'generateContent'],

  figures: {
    usual: ['input', 'output'],
    all: [
      ...['input', 'output', 'cached_input', 'cache_write', 'reasoning', 'image_input', 'audio_input', 'audio_output'],
      ...['tiers.priority', 'tiers.flex', 'tools.web_search', 'tools.code_interpreter', 'tools.file_search'],
    ],
  },
  words: {
    en: {
      name: 'Text',
      units: { output: 'per million output tokens' },
      figures: {
        input: 'Input',
        output: 'Output',
        cached_input: 'Cached input',
        cache_write: 'Cache write',
        cache_write_1h: 'Cache write for an hour',
        reasoning: 'Reasoning',
        audio_input: 'Audio input',
        cached_audio_input: 'Cached audio input',
        audio_output: 'Audio output',
      },
      limits: { context: 'Context, tokens', max_output: 'Output, tokens' },
      receipt: {
        input: 'Input tokens',
        cached_input: 'Cached input tokens',
        cache_write: 'Tokens written to the cache',
        cache_write_1h: 'Tokens written to the cache for 1 hour',
        audio_input: 'Audio input tokens',
        cached_audio_input: 'Cached audio input tokens',
        image_input: 'Image input tokens',
        output: 'Output tokens',
        reasoning: 'Reasoning tokens',
        audio_output: 'Audio output tokens',
        image_output: 'Image output tokens',
      },
    },
    zh: {
      name: '文本',
      units: { output: '/ 百万输出 Token' },
      figures: {
        input: '输入',
        output: '输出',
        cached_input: '缓存输入',
        cache_write: '缓存写入',
        cache_write_1h: '一小时缓存写入',
        reasoning: '推理',
        audio_input: '音频输入',
        cached_audio_input: '缓存音频输入',
        audio_output: '音频输出',
      },
      limits: { context: '上下文（Token）', max_output: '输出（Token）' },
      receipt: {
        input: '输入 Token',
        cached_input: '缓存输入 Token',
        cache_write: '写入缓存的 Token',
        cache_write_1h: '写入缓存的 Token（1 小时）',
        audio_input: '音频输入 Token',
        cached_audio_input: '缓存音频输入 Token',
        image_input: '图片输入 Token',
        output: '输出 Token',
        reasoning: '推理 Token',
        audio_output: '音频输出 Token',
        image_output: '图片输出 Token',
      },
    },
  },
  routes: {
    completions: COMPLETION,
    'beta-completions': COMPLETION,
    'fim-completions': {
      ...COMPLETION,
      responses: {
        200: { schema: open({ id: STRING, model: STRING, choices: list(), usage: MAP }), stream: true },
      },
    },
    chat: {
      body: { schema: open(MESSAGES, { ...STREAM, max_tokens: INTEGER }), example: HELLO },
      responses: {
        200: {
          schema: open({ id: STRING, object: always('chat.completion'), model: STRING, choices: list(), usage: MAP }),
          stream: true,
        },
      },
    },
    responses: {
      body: {
        schema: open(INPUT, { ...STREAM, previous_response_id: NULLABLE, store: BOOLEAN, background: BOOLEAN }),
        example: { model: TEXT, input: 'Hello' },
      },
      responses: { 200: { schema: RESPONSE, stream: true } },
    },
    messages: {
      parameters: VERSION,
      body: {
        schema: open({ ...MESSAGES, max_tokens: { ...INTEGER, minimum: 1 } }, STREAM),
        example: { ...HELLO, max_tokens: 100 },
      },
      responses: {
        200: {
          schema: open({ id: STRING, type: always('message'), role: STRING, content: list(), usage: MAP }),
          stream: true,
        },
      },
    },
    'show-response': {
      parameters: {
        stream: { ...BOOLEAN, description: 'The events of a background response, then those to come.' },
        starting_after: { ...INTEGER, description: 'The `sequence_number` of the last event that is known.' },
      },
      responses: { 200: { schema: RESPONSE, stream: true } },
    },
    'cancel-response': { responses: { 200: { schema: RESPONSE } } },
    'delete-response': { responses: { 200: { schema: open({ id: STRING, deleted: BOOLEAN }) } } },
    'list-input-items': {
      parameters: { order: { ...STRING, enum: ['asc', 'desc'] }, limit: INTEGER, after: STRING },
      responses: { 200: { schema: open({ object: always('list'), data: list(), has_more: BOOLEAN }) } },
    },
    'generate-content': {
      body: { schema: CONTENTS, example: CONTENTS_EXAMPLE },
      parameters: IN_PATH,
      responses: { 200: { schema: GENERATED } },
    },
    'stream-generate-content': {
      body: { schema: CONTENTS, example: CONTENTS_EXAMPLE },
      parameters: { ...IN_PATH, alt: { ...STRING, enum: ['sse', 'json'], description: 'Events, or one JSON array.' } },
      responses: { 200: { schema: list(), stream: true } },
    },
    'messages-count-tokens': {
      parameters: VERSION,
      body: { schema: open(MESSAGES), example: HELLO },
      responses: { 200: { schema: open({ input_tokens: INTEGER }) } },
    },
    'generate-content-count-tokens': {
      body: { schema: open({}, { contents: list(), generateContentRequest: MAP }), example: CONTENTS_EXAMPLE },
      parameters: IN_PATH,
      responses: { 200: { schema: open({ totalTokens: INTEGER }) } },
    },
    'responses-count-tokens': {
      body: { schema: open(INPUT), example: { model: TEXT, input: 'Hello' } },
      responses: { 200: { schema: open({ input_tokens: INTEGER }) } },
    },
  },
} as const satisfies Endpoint
