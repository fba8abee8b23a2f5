// rawPredict: the model is in the path, and the body says which version of the dialect it is.
import { readHostedRequest } from '@trivium/protocol/dialects/messages/hosted/hosted-request.ts'
import { codec } from '../../bytes/codec.ts'
import { bytesOf, type Frame, pathStep, withoutQuery } from './framing.ts'

const MODELS = '/publishers/anthropic/models'
const VERSION = { name: 'anthropic_version', json: '"vertex-2023-10-16"' }

export const rawPredict: Frame = (outgoing) => {
  const bytes = outgoing.method === undefined ? bytesOf(outgoing) : undefined
  if (!bytes) return { sent: outgoing }
  const request = readHostedRequest(bytes, codec)
  const isCount = withoutQuery(outgoing.path).endsWith('/count_tokens')
  const model = isCount ? 'count-tokens' : pathStep(request.model)
  const { 'anthropic-version': _version, ...headers } = outgoing.headers
  return {
    sent: {
      ...outgoing,
      path: `${MODELS}/${model}:${request.stream ? 'streamRawPredict' : 'rawPredict'}`,
      headers,
      body: request.body({ set: [VERSION], remove: isCount ? [] : ['model'] }),
    },
  }
}

/** The dialect as it is, except for a mark of the request's own. */
export const marksInBlocks: Frame = (outgoing) => {
  const bytes = outgoing.method === undefined ? bytesOf(outgoing) : undefined
  return { sent: bytes ? { ...outgoing, body: readHostedRequest(bytes, codec).body({}) } : outgoing }
}
