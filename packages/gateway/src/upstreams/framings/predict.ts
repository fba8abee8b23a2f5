// Gemini in Vertex AI, which has other methods than the Gemini API for vectors and counts.
import { bytesOf, changedReply, type Frame } from './framing.ts'

type Json = Record<string, unknown>
const textIn = (content: unknown): string =>
  ((content as { parts?: { text?: string }[] } | undefined)?.parts ?? []).map(({ text = '' }) => text).join('\n')

export const predict: Frame = (outgoing) => {
  const [, model, method] = /^(.*\/([^/]*)):(\w+)$/.exec(outgoing.path)?.slice(1) ?? []
  const bytes = outgoing.method === undefined && method !== undefined ? bytesOf(outgoing) : undefined
  const change = bytes && CHANGES[method ?? '']
  // Newer embedding models than this have the method of the Gemini API.
  if (!change || (method === 'embedContent' && /^gemini-embedding-(?!001)/.test(model ?? ''))) return { sent: outgoing }
  const { path, body, read } = change(JSON.parse(Buffer.from(bytes).toString()))
  return {
    sent: {
      ...outgoing,
      path: path ? outgoing.path.replace(/:\w+$/, `:${path}`) : outgoing.path,
      body: [Buffer.from(JSON.stringify(body))],
    },
    ...(read ? { read: (reply) => changedReply(reply, read) } : {}),
  }
}

type Change = (body: Json) => { path?: string; body: Json; read?(reply: unknown): unknown }

const CHANGES: Readonly<Record<string, Change>> = {
  batchEmbedContents: (body) => asInstances((body.requests ?? []) as Json[], false),
  embedContent: (body) => asInstances([body], true),
  /** A whole request is counted as it is, not within another one. */
  countTokens({ generateContentRequest: whole, ...body }) {
    const { model: _model, ...request } = (whole ?? body) as Json
    return { body: request }
  },
}

function asInstances(requests: readonly Json[], isSingle: boolean): ReturnType<Change> {
  const [first = {}] = requests
  const dimensions = settingsOf(first).outputDimensionality
  return {
    path: 'predict',
    body: {
      instances: requests.map((request) => {
        const { taskType, title } = settingsOf(request)
        return { content: textIn(request.content), task_type: taskType, title }
      }),
      ...(dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } }),
    },
    read: (reply) => vectorsIn(reply, isSingle),
  }
}

/** In newer versions they are in an object of their own. Both spellings are valid. */
function settingsOf({ embedContentConfig = {}, ...request }: Json): Json {
  const all = { ...(embedContentConfig as Json), ...request }
  return {
    taskType: all.taskType ?? all.task_type,
    title: all.title,
    outputDimensionality: all.outputDimensionality ?? all.output_dimensionality,
  }
}

type Prediction = { embeddings?: { values?: unknown; statistics?: { token_count?: number } } }

function vectorsIn(reply: unknown, isSingle: boolean): Json {
  const predictions = ((reply as { predictions?: Prediction[] } | null)?.predictions ?? []).map(
    ({ embeddings }) => embeddings,
  )
  const vectors = predictions.map((found) => ({ values: found?.values }))
  const tokens = predictions.reduce((sum, found) => sum + (found?.statistics?.token_count ?? 0), 0)
  return {
    ...(isSingle ? { embedding: vectors[0] } : { embeddings: vectors }),
    ...(tokens > 0 ? { usageMetadata: { promptTokenCount: tokens } } : {}),
  }
}
