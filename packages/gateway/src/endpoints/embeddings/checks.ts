// How an upstream's embeddings are checked.
import type { EndpointChecks } from '../../upstreams/diagnostics/endpoint-checks.ts'
import {
  json,
  listOf,
  type Problem,
  type ServiceCheck,
  TEXTS,
  tokensOf,
} from '../../upstreams/diagnostics/service-check.ts'

const embed = (row: string, more: object, judge: (vectors: unknown[]) => Problem, isOptional?: true): ServiceCheck => ({
  row,
  body: (model, { names = {} }) => {
    const own = Object.entries(more).map(([name, value]) => [names[name] ?? name, value])
    return json({ model, input: TEXTS, ...Object.fromEntries(own) })
  },
  most: { input: 50 },
  judge: (reply) => {
    const vectors = listOf(reply, 'data').map((each) => Object(each).embedding)
    return vectors.length === TEXTS.length ? judge(vectors) : 'there is not one vector for each input'
  },
  ...(isOptional ? { isOptional } : {}),
})

const isVector = (value: unknown, length?: number): boolean =>
  Array.isArray(value) && value.length > 0 && value.length === (length ?? value.length) && value.every(Number.isFinite)

export const checks = {
  services: {
    embeddings: [
      embed('vectors', {}, ([one, other]) =>
        isVector(one) && isVector(other, (one as unknown[]).length)
          ? undefined
          : 'these are no vectors of equal length',
      ),
      embed(
        'base64',
        { encoding_format: 'base64' },
        ([one]) =>
          typeof one === 'string' ? undefined : { absent: 'vectors are numbers, though base64 was asked for' },
        true,
      ),
      embed(
        'dimensions',
        { dimensions: 256 },
        ([one]) => (isVector(one, 256) ? undefined : { absent: 'vectors do not have the length that was asked for' }),
        true,
      ),
      {
        ...embed('usage', {}, () => undefined),
        judge(reply) {
          if (!tokensOf(reply)) return 'no tokens are reported'
          const { prompt_tokens, total_tokens } = Object(Object(reply).usage)
          const lacking = prompt_tokens === undefined ? 'prompt_tokens' : 'total_tokens'
          if (prompt_tokens !== undefined && total_tokens !== undefined) return undefined
          return { absent: `usage has no ${lacking}; the gateway adds it` }
        },
      },
    ],
    embed: [
      {
        row: 'embed',
        body: (model) => json({ model, texts: TEXTS, input_type: 'search_document', embedding_types: ['float'] }),
        counted: { input: 20 },
        most: { input: 50 },
        judge: (reply) =>
          listOf(Object(reply).embeddings, 'float').length === TEXTS.length
            ? undefined
            : 'there is not one vector for each text',
      },
    ],
  },
} satisfies EndpointChecks
