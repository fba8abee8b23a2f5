// What services with the chat dialect serve besides text and images, each at one path below the same base URL.

/** Below the base URL, as OpenAI has them; rerank, as those have it that serve it. */
export const SERVICE_PATHS = {
  embeddings: '/embeddings',
  rerank: '/rerank',
  speech: '/audio/speech',
  transcriptions: '/audio/transcriptions',
  translations: '/audio/translations',
  moderations: '/moderations',
} as const

export type ServiceId = keyof typeof SERVICE_PATHS
export const SERVICE_IDS = Object.keys(SERVICE_PATHS) as readonly ServiceId[]
