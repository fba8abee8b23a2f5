// Embeddings of texts.
import type { Endpoint, EndpointRoute } from '../endpoint.ts'
import { always, INTEGER, type Json, list, MAP, MODEL, open, STRING } from '../schema.ts'

const VECTORS = 'sandbox-embedding'
const EMBEDDED: Json = { anyOf: [STRING, list(STRING), list(INTEGER), list(list(INTEGER))] }
const ENCODING: Json = { ...STRING, enum: ['float', 'base64'] }
const TO_EMBED = open(
  { content: open({ parts: list() }) },
  { taskType: STRING, title: STRING, outputDimensionality: INTEGER },
)
const TO_EMBED_EXAMPLE = { content: { parts: [{ text: 'Hello' }] }, outputDimensionality: 8 }

const COHERE: EndpointRoute = {
  body: {
    schema: open(
      { model: MODEL, texts: list(STRING) },
      { input_type: STRING, embedding_types: list(ENCODING), output_dimension: INTEGER, truncate: STRING },
    ),
    example: { model: VECTORS, texts: ['Hello', 'Goodbye'], input_type: 'search_document', embedding_types: ['float'] },
  },
  responses: { 200: { schema: open({ id: STRING, embeddings: {}, texts: list(STRING), meta: MAP }) } },
}

export const embeddings = {
  title: 'Embeddings',
  tag: 'Embeddings',
  offered: ['embeddings'],
  services: { embeddings: '/embeddings' },
  figures: { usual: ['input'], all: ['input'] },
  words: {
    en: {
      name: 'Embeddings',
      units: { input: 'per million input tokens' },
      limits: { inputs: 'Inputs', tokens: 'Tokens', dimensions: 'Dimensions' },
    },
    zh: {
      name: '向量嵌入',
      units: { input: '/ 百万输入 Token' },
      limits: { inputs: '输入条数', tokens: 'Token 数', dimensions: '维度' },
    },
  },
  routes: {
    embed: COHERE,
    'embed-v2': COHERE,
    embeddings: {
      body: {
        schema: open(
          { model: MODEL, input: EMBEDDED },
          { dimensions: INTEGER, encoding_format: ENCODING, user: STRING },
        ),
        example: { model: VECTORS, input: ['Hello', 'Goodbye'], dimensions: 8 },
      },
      responses: {
        200: { schema: open({ object: always('list'), data: list(), model: STRING, usage: MAP }) },
      },
    },
    'embed-content': {
      body: { schema: TO_EMBED, example: TO_EMBED_EXAMPLE },
      parameters: { model: { ...STRING, example: VECTORS } },
      responses: { 200: { schema: open({ embedding: MAP }) } },
    },
    'batch-embed-contents': {
      body: { schema: open({ requests: list(TO_EMBED) }), example: { requests: [TO_EMBED_EXAMPLE] } },
      parameters: { model: { ...STRING, example: VECTORS } },
      responses: { 200: { schema: open({ embeddings: list() }) } },
    },
  },
} as const satisfies Endpoint
