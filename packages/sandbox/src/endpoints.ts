// Endpoints that are one function, by the id of their route. A new kind of model is a folder and a line here; what several dialects
// serve is in handler.ts.
import type { RouteId } from '@trivium/protocol/routes.ts'
import { json } from './delivery/json.ts'
import { generateContentModelList, type ListedModel, modelList } from './model-list.ts'
import {
  answerBatch,
  answerEmbed,
  answerEmbedContent,
  answerEmbeddings,
  SANDBOX_EMBEDDING,
} from './services/embeddings.ts'
import { answerModerations, SANDBOX_MODERATION } from './services/moderations.ts'
import { answerRerank, SANDBOX_RERANK } from './services/rerank.ts'
import { answerSpeech, SANDBOX_SPEECH } from './speech/speech.ts'
import { answerTranscription, SANDBOX_TRANSCRIPTION } from './transcription/endpoint.ts'

export type Endpoint = {
  needsKey: boolean
  answer(request: Request, url: URL): Response | Promise<Response>
  /** The model that it alone calls. */
  model?: ListedModel
}

const RERANK = {
  needsKey: true,
  answer: answerRerank,
}

export const ENDPOINTS = {
  health: { needsKey: false, answer: () => json({ status: 'ok', sandbox: true }) },
  'list-models': { needsKey: true, answer: () => json(modelList(models())) },
  'list-generate-content-models': { needsKey: true, answer: () => json(generateContentModelList(models())) },
  rerank: { ...RERANK, model: { id: SANDBOX_RERANK, name: 'Sandbox rankings', methods: [] } },
  'rerank-v2': RERANK,
  'rerank-unversioned': RERANK,
  moderations: {
    needsKey: true,
    answer: answerModerations,
    model: { id: SANDBOX_MODERATION, name: 'Sandbox moderations', methods: [] },
  },
  'audio-transcriptions': {
    needsKey: true,
    answer: answerTranscription,
    model: { id: SANDBOX_TRANSCRIPTION, name: 'Sandbox transcription', methods: [] },
  },
  'audio-translations': { needsKey: true, answer: answerTranscription },
  embeddings: {
    needsKey: true,
    answer: answerEmbeddings,
    model: { id: SANDBOX_EMBEDDING, name: 'Sandbox embeddings', methods: ['embedContent', 'batchEmbedContents'] },
  },
  embed: { needsKey: true, answer: answerEmbed },
  'embed-v2': { needsKey: true, answer: answerEmbed },
  'embed-content': { needsKey: true, answer: answerEmbedContent },
  'batch-embed-contents': { needsKey: true, answer: answerBatch },
  speech: {
    needsKey: true,
    answer: answerSpeech,
    model: { id: SANDBOX_SPEECH, name: 'Sandbox speech', methods: ['generateContent', 'streamGenerateContent'] },
  },
} satisfies Partial<Record<RouteId, Endpoint>>

type EndpointId = keyof typeof ENDPOINTS
export const ENDPOINT_IDS = Object.keys(ENDPOINTS) as EndpointId[]

function models(): ListedModel[] {
  return Object.values<Endpoint>(ENDPOINTS).flatMap(({ model }) => model ?? [])
}

export const endpointOf = (route: string): Endpoint | undefined =>
  (ENDPOINTS as Partial<Record<string, Endpoint>>)[route]
