// The generate-content protocol as it stands on the wire: only what the gateway reads or writes.
// Everything from an upstream is optional, since compatible services leave out what they please.

export type WireBlob = { mimeType?: string; data?: string }

export type WireFile = { mimeType?: string; fileUri?: string }

/** One piece of arguments that are streamed, at its place: `$.stops[0].name`. */
export type WirePartialArgument = {
  jsonPath?: string
  stringValue?: string
  numberValue?: number
  boolValue?: boolean
  nullValue?: unknown
  willContinue?: boolean
}

export type WireFunctionCall = {
  id?: string
  name?: string
  args?: Record<string, unknown>
  partialArgs?: WirePartialArgument[]
  willContinue?: boolean
}

export type WireFunctionResponse = {
  id?: string
  name?: string
  response?: Record<string, unknown>
  parts?: { inlineData?: WireBlob; fileData?: WireFile }[]
}

/** One data field, and what may stand beside it. */
export type WirePart = {
  text?: string
  thought?: boolean
  /** Base64. */
  thoughtSignature?: string
  inlineData?: WireBlob
  fileData?: WireFile
  functionCall?: WireFunctionCall
  functionResponse?: WireFunctionResponse
}

export type WireContent = { role?: string; parts?: WirePart[] }

export type WireFunctionDeclaration = {
  name?: string
  description?: string
  /** One of the two. */
  parameters?: object
  parametersJsonSchema?: unknown
}

export type WireTool = { functionDeclarations?: WireFunctionDeclaration[]; googleSearch?: Record<string, never> }

/** What the gateway writes for an upstream. */
export type WireRequest = {
  systemInstruction?: WireContent
  contents: WireContent[]
  tools?: WireTool[]
  toolConfig?: { functionCallingConfig: { mode: string; allowedFunctionNames?: string[] } }
  generationConfig?: Record<string, unknown>
  labels?: Record<string, string>
  serviceTier?: string
  store?: boolean
}

export type WireUsage = {
  /** Includes what came from a cache. */
  promptTokenCount?: number
  cachedContentTokenCount?: number
  /** Does not include reasoning. */
  candidatesTokenCount?: number
  thoughtsTokenCount?: number
  toolUsePromptTokenCount?: number
  totalTokenCount?: number
  promptTokensDetails?: WireModalities
  toolUsePromptTokensDetails?: WireModalities
  cacheTokensDetails?: WireModalities
  candidatesTokensDetails?: WireModalities
  trafficType?: string
}

/** `modality`: `TEXT`, `AUDIO`, `IMAGE` and others. */
export type WireModalities = { modality?: string; tokenCount?: number }[]

export type WireCitation = { startIndex?: number; endIndex?: number; uri?: string; title?: string }

export type WireGroundingChunk = {
  web?: { uri?: string; title?: string }
  retrievedContext?: { uri?: string; title?: string; text?: string }
}

export type WireGrounding = {
  webSearchQueries?: string[]
  groundingChunks?: WireGroundingChunk[]
  groundingSupports?: {
    /** Places are counted in bytes of UTF-8. */
    segment?: { partIndex?: number; startIndex?: number; endIndex?: number; text?: string }
    groundingChunkIndices?: number[]
  }[]
}

export type WireLogprob = { token?: string; logProbability?: number }

export type WireLogprobs = { chosenCandidates?: WireLogprob[]; topCandidates?: { candidates?: WireLogprob[] }[] }

export type WireCandidate = {
  content?: WireContent
  finishReason?: string
  finishMessage?: string
  index?: number
  citationMetadata?: { citations?: WireCitation[] }
  groundingMetadata?: WireGrounding
  logprobsResult?: WireLogprobs
}

/** A whole answer, or one chunk of a stream. */
export type WireReply = {
  candidates?: WireCandidate[]
  promptFeedback?: { blockReason?: string; blockReasonMessage?: string }
  usageMetadata?: WireUsage
  modelVersion?: string
  responseId?: string
}
