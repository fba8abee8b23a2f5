// What the fields of a generate-content request do to the vendor's price, and what they are called. Closed over the types of
// the official SDK, in the spelling of the wire; its names for the same fields are in SDK_NAMES.

import { bothSpellings, knownNames } from '../../shared/pass-through/known-names.ts'
import {
  anyOf,
  bounds,
  boundsIn,
  type FieldTable,
  neutral,
  other,
  tier,
  tool,
} from '../../shared/pass-through/priced-fields.ts'
import { enumWord } from '../request/fields.ts'

export const REQUEST = {
  ...neutral('model', 'contents', 'systemInstruction', 'safetySettings', 'tools', 'toolConfig'),
  ...bounds('generationConfig'),
  ...neutral('labels', 'store', 'continuationToken'),
  // Objects of the operator's own project: rejected elsewhere.
  ...neutral('cachedContent', 'outputConfig'),
  serviceTier: tier(['unspecified', 'standard', 'default'], (word) => enumWord(word, 'service_tier_')),
  // Another service looks at what goes in and comes out, and bills it. Not ours to leave out.
  modelArmorConfig: other('model_armor', { forced: true }),
} satisfies FieldTable

/** Members of `generationConfig`. */
export const CONFIG = {
  ...neutral('temperature', 'topP', 'topK', 'candidateCount', 'maxOutputTokens', 'stopSequences', 'seed'),
  ...neutral('presencePenalty', 'frequencyPenalty', 'responseLogprobs', 'logprobs', 'responseMimeType'),
  ...neutral('responseSchema', 'responseJsonSchema', 'responseFormat', 'thinkingConfig', 'enableEnhancedCivicAnswers'),
  // More tokens for finer media: the usage tells them, and by kind.
  ...neutral('mediaResolution', 'imageConfig', 'audioTimestamp', 'audioTranscriptionConfig', 'translationConfig'),
  ...neutral('speechConfig', 'enableAffectiveDialog'),
  // A client that asks for audio or images cannot use text. The usage lists images separately.
  responseModalities: anyOf({ audio: 'audio', video: 'video' }, (word) => enumWord(word, 'modality_')),
  // The vendor chooses the model, each at its own price.
  routingConfig: other('model_routing', { forced: true }),
  modelConfig: other('model_routing', { forced: true }),
} satisfies FieldTable

/** Members of an entry of `tools`. Those that are canonical cost only the tokens that they bring. */
export const TOOLS = {
  ...neutral('functionDeclarations', 'codeExecution', 'urlContext', 'computerUse', 'mcpServers'),
  googleSearch: tool('web_search'),
  googleSearchRetrieval: tool('web_search'),
  enterpriseWebSearch: tool('web_search'),
  parallelAiSearch: tool('web_search'),
  exaAiSearch: tool('web_search'),
  googleMaps: tool('google_maps'),
  fileSearch: tool('file_search'),
  retrieval: tool('retrieval'),
} satisfies FieldTable

/** Members of a function's declaration. */
export const DECLARATION_MEMBERS = {
  ...neutral('name', 'description', 'behavior', 'parameters', 'parametersJsonSchema', 'response', 'responseJsonSchema'),
} satisfies FieldTable

/** Members of the objects inside a request that belong to something priced. */
export const MEMBERS = {
  toolConfig: neutral('functionCallingConfig', 'retrievalConfig', 'includeServerSideToolInvocations'),
  googleSearch: neutral('blockingConfidence', 'excludeDomains', 'searchTypes', 'timeRangeFilter'),
  thinkingConfig: neutral('includeThoughts', 'thinkingBudget', 'thinkingLevel'),
  speechConfig: neutral('voiceConfig', 'languageCode', 'multiSpeakerVoiceConfig'),
  imageConfig: {
    ...neutral('aspectRatio', 'imageSize', 'personGeneration', 'outputMimeType', 'outputCompressionQuality'),
    ...neutral('imageOutputOptions', 'prominentPeople'),
  },
} satisfies Record<string, FieldTable>

/** The SDK's own names for fields of the wire; those of undefined never leave the client. */
export const SDK_NAMES: Readonly<Record<string, string | undefined>> = {
  generationOutputConfig: 'outputConfig',
  modelSelectionConfig: 'modelConfig',
  httpOptions: undefined,
  abortSignal: undefined,
  automaticFunctionCalling: undefined,
  automaticContinuation: undefined,
}

const config = { own: bothSpellings(CONFIG) }
const declarations = bothSpellings(DECLARATION_MEMBERS)

/** The names that a request can have, in the places where no other spelling of them may stand. Each may be spelled `likeThis` or
 * `like_this`, and in no other way. */
export const NAMES = knownNames(bothSpellings(REQUEST), {
  generationConfig: config,
  generation_config: config,
  tools: {
    own: bothSpellings(TOOLS),
    within: new Map([
      ['functionDeclarations', declarations],
      ['function_declarations', declarations],
    ]),
  },
})

/** What the dialect itself means by them is read with the request. */
export const BOUNDS = bothSpellings(boundsIn(REQUEST)).exact
