// The fields of a generate-content request that have a place in the canonical request, in the spelling `likeThis`.

import type { TranslatedFields } from '../../canonical/encoding/untranslated-fields.ts'
import { whole } from '../../canonical/encoding/untranslated-fields.ts'
import { TOOLS } from './pass-through/fields.ts'
import { camelName } from './request/fields.ts'

const MEDIA = {
  inlineData: whole('mimeType', 'data', 'displayName'),
  fileData: whole('mimeType', 'fileUri', 'displayName'),
} as const
const SEARCH = whole('excludeDomains')

export const translated: TranslatedFields = {
  plain: camelName,
  members: {
    ...whole('model', 'labels', 'serviceTier', 'store', 'sessionId'),
    systemInstruction: { role: true, text: true, parts: whole('text') },
    contents: {
      role: true,
      parts: {
        ...whole('text', 'thought', 'thoughtSignature', 'executableCode', 'codeExecutionResult'),
        ...MEDIA,
        mediaResolution: whole('level'),
        functionCall: whole('id', 'name', 'args'),
        functionResponse: { ...whole('id', 'name', 'response'), parts: MEDIA },
      },
    },
    tools: {
      // Tools that a vendor runs are reported or rejected as a whole.
      ...whole(...Object.keys(TOOLS)),
      googleSearch: SEARCH,
      googleSearchRetrieval: SEARCH,
      functionDeclarations: whole('name', 'description', 'parameters', 'parametersJsonSchema'),
    },
    toolConfig: { functionCallingConfig: whole('mode', 'allowedFunctionNames') },
    generationConfig: {
      ...whole('temperature', 'topP', 'topK', 'candidateCount', 'maxOutputTokens', 'logprobs', 'presencePenalty'),
      ...whole('frequencyPenalty', 'seed', 'stopSequences', 'responseLogprobs', 'responseMimeType', 'responseSchema'),
      ...whole('responseJsonSchema', 'responseModalities', 'mediaResolution'),
      thinkingConfig: whole('includeThoughts', 'thinkingBudget', 'thinkingLevel'),
    },
  },
}
