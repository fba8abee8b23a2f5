// Endpoints beside the four of text.
import { type Cell, must, show } from '../cell.ts'
import { anthropic, google, openai } from '../clients/official.ts'

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])

export const ENDPOINT_CELLS: readonly Cell[] = [
  {
    ...at('chat', 'openai', '/v1/models'),
    name: 'the list has the model',
    async run(trial) {
      const found: string[] = []
      for await (const { id } of openai(trial).models.list()) found.push(id)
      must(found.includes(trial.model), () => `the list is ${show(found)}`)
    },
  },
  {
    ...at('messages', '@anthropic-ai/sdk', '/v1/models'),
    name: 'the list has the model',
    async run(trial) {
      const found: string[] = []
      for await (const { id } of anthropic(trial).models.list()) found.push(id)
      must(found.includes(trial.model), () => `the list is ${show(found)}`)
    },
  },
  {
    ...at('generate-content', '@google/genai', '/v1beta/models'),
    name: 'the list has the model',
    async run(trial) {
      const found: string[] = []
      for await (const { name = '' } of await google(trial).models.list()) found.push(name)
      must(
        found.some((name) => name.endsWith(trial.model)),
        () => `the list is ${show(found)}`,
      )
    },
  },
  {
    ...at('messages', '@anthropic-ai/sdk', '/v1/messages/count_tokens'),
    name: 'tokens are counted',
    async run(trial) {
      const messages = [{ role: 'user' as const, content: `How many tokens are these? (${trial.mark})` }]
      const { input_tokens: tokens } = await anthropic(trial).messages.countTokens({ model: trial.model, messages })
      must(tokens > 5 && tokens < 60, () => `${tokens} tokens`)
    },
  },
  {
    ...at('generate-content', '@google/genai', '/v1beta/models/{model}:countTokens'),
    name: 'tokens are counted',
    async run(trial) {
      const contents = `How many tokens are these? (${trial.mark})`
      const { totalTokens: tokens = 0 } = await google(trial).models.countTokens({ model: trial.model, contents })
      must(tokens > 5 && tokens < 60, () => `${tokens} tokens`)
    },
  },
  ...(['float', 'base64'] as const).map(
    (format): Cell => ({
      ...at('chat', 'openai', '/v1/embeddings', 'embedding'),
      name: `vectors of two texts, as ${format}`,
      async run(trial) {
        const input = ['the cat sat', 'stock prices fell']
        const asked = { model: trial.model, input, encoding_format: format }
        const { data, usage } = await openai(trial).embeddings.create(asked)
        must(data.length === 2 && data.every(({ embedding }) => embedding.length > 8), () => `got ${show(data)}`)
        must(usage.prompt_tokens > 0, () => `the usage is ${show(usage)}`)
      },
    }),
  ),
  {
    ...at('generate-content', '@google/genai', '/v1beta/models/{model}:embedContent', 'embedding'),
    name: 'vectors of two texts',
    async run(trial) {
      const contents = ['the cat sat', 'stock prices fell']
      const { embeddings = [] } = await google(trial).models.embedContent({ model: trial.model, contents })
      const lengths = embeddings.map(({ values = [] }) => values.length)
      must(lengths.length === 2 && lengths.every((length) => length > 8), () => `lengths ${show(lengths)}`)
    },
  },
  {
    ...at('chat', 'openai', '/v1/images/generations', 'image'),
    name: 'an image in base64',
    async run(trial) {
      const asked = { model: trial.model, prompt: 'A lighthouse', size: '256x256' as const }
      const { data = [] } = await openai(trial).images.generate(asked)
      const bytes = Buffer.from(data[0]?.b64_json ?? '', 'base64')
      must(bytes.subarray(0, 4).equals(PNG), () => `not a PNG: ${show(data)}`)
    },
  },
  {
    ...at('chat', 'HTTP', '/v1/no-such-path'),
    name: 'an unknown path is 404 as JSON',
    async run({ origin, key }) {
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${origin}/v1/no-such-path`, { method: 'POST', headers, body: '{}' })
      const text = await response.text()
      must(response.status === 404, () => `status ${response.status}`)
      must(text.startsWith('{'), () => `not JSON: ${show(text)}`)
    },
  },
]

function at(dialect: Cell['dialect'], client: string, endpoint: string, model: Cell['model'] = 'text') {
  return { area: 'endpoints' as const, dialect, client, endpoint, model }
}
