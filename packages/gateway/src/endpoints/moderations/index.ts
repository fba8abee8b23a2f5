// Moderations of texts and images.
import type { Endpoint } from '../endpoint.ts'
import { list, MAP, MODEL, open, STRING } from '../schema.ts'

export const moderations = {
  title: 'Moderation',
  tag: 'Moderation',
  offered: ['moderations'],
  services: { moderations: '/moderations' },
  figures: { usual: ['per_request'], all: ['per_request', 'per_input', 'input'] },
  models: {
    generates: 'moderations',
    where: 'Use POST /v1/moderations.',
    capabilities: ['images'],
    examples: { price: 'price: { per_request: 0 }', limits: 'limits: { inputs: 32 }' },
    limits: { inputs: 2_048 },
    sandbox: { id: 'sandbox-moderation', nanos: 0 },
  },
  words: {
    en: {
      name: 'Moderation',
      units: { per_request: 'per request', per_input: 'per text or image', input: 'per million input tokens' },
      figures: { per_request: 'Per request', per_input: 'Per text or image' },
      limits: { inputs: 'Inputs' },
      receipt: { requests: 'Requests' },
    },
    zh: {
      name: '内容审核',
      units: { per_request: '/ 次请求', per_input: '/ 条文本或图片', input: '/ 百万输入 Token' },
      figures: { per_request: '每次请求', per_input: '每条文本或图片' },
      limits: { inputs: '输入数' },
      receipt: { requests: '请求次数' },
    },
  },
  routes: {
    moderations: {
      body: {
        schema: open({ input: { anyOf: [STRING, list({ anyOf: [STRING, MAP] })] } }, { model: MODEL }),
        example: { model: 'sandbox-moderation', input: 'What a lovely day' },
      },
      responses: { 200: { schema: open({ id: STRING, model: STRING, results: list() }) } },
    },
  },
} as const satisfies Endpoint
