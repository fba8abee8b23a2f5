// For the tests: the sandbox through Google's SDK.
import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai'
import { type Answer, type Driver, PDF, PIXEL, type Question, schemaOf } from '../driver.ts'

export function generateContentDriver(url: string): Driver {
  const client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: url } })
  return {
    name: 'generate-content',
    words: { stop: 'STOP', length: 'MAX_TOKENS', tools: 'STOP', stopSequence: 'STOP', refusal: 'SAFETY' },
    errorAt: () => ApiError,
    async ask(question, how, history = []) {
      const params = paramsOf(question, history)
      if (how === 'single') return answerOf([await client.models.generateContent(params)])
      const chunks: GenerateContentResponse[] = []
      for await (const chunk of await client.models.generateContentStream(params)) chunks.push(chunk)
      return answerOf(chunks)
    },
    results: (answer, results) => [
      ...answer.turn,
      {
        role: 'user',
        parts: results.map(({ text, failed }, index) => ({
          functionResponse: { name: answer.calls[index]?.name, response: failed ? { error: text } : { output: text } },
        })),
      },
    ],
  }
}

function paramsOf(question: Question, history: unknown[]): GenerateContentParameters {
  const { prompt, model = 'sandbox-text', system, tools, toolChoice, schema, maxTokens, stop, attach } = question
  const parts: Part[] = [{ text: prompt }]
  if (attach) {
    parts.push({ inlineData: { mimeType: 'image/png', data: PIXEL } })
    parts.push({ inlineData: { mimeType: 'application/pdf', data: PDF } })
  }
  const mode = toolChoice === 'required' ? FunctionCallingConfigMode.ANY : FunctionCallingConfigMode.NONE
  return {
    model,
    contents: [{ role: 'user', parts }, ...(history as Content[])],
    config: {
      ...(system && { systemInstruction: system }),
      ...(tools && {
        tools: [
          {
            functionDeclarations: tools.map((tool) => ({ name: tool.name, parametersJsonSchema: schemaOf(tool) })),
          },
        ],
      }),
      ...(toolChoice && { toolConfig: { functionCallingConfig: { mode } } }),
      ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(stop && { stopSequences: [stop] }),
    },
  }
}

function answerOf(chunks: readonly GenerateContentResponse[]): Answer {
  const candidates = chunks.flatMap((chunk) => chunk.candidates ?? [])
  const contents = candidates.map(({ content }) => content)
  const parts = contents.flatMap((content) => content?.parts ?? [])
  const usage = chunks.at(-1)?.usageMetadata
  const reasoning = usage?.thoughtsTokenCount ?? 0
  const said = (thought: boolean) =>
    parts.map((part) => (Boolean(part.thought) === thought ? (part.text ?? '') : '')).join('')
  return {
    text: said(false),
    reasoning: said(true),
    calls: parts.flatMap(({ functionCall: call }) => (call ? [{ name: call.name ?? '', input: call.args }] : [])),
    finish: candidates.at(-1)?.finishReason ?? '',
    usage: {
      input: usage?.promptTokenCount ?? -1,
      output: (usage?.candidatesTokenCount ?? -1) + reasoning,
      reasoning,
      cached: usage?.cachedContentTokenCount ?? 0,
    },
    turn: contents,
  }
}
