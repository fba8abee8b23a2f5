// A web search with each official SDK, streamed or not, and what the SDK reads of it.
import Anthropic from '@anthropic-ai/sdk'
import { type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import OpenAI from 'openai'

export type Searching = {
  origin: string
  key: string
  model: string
  prompt: string
  streamed: boolean
  /** The search, as the dialect asks for it. */
  more: Record<string, unknown>
  /** What `Searched` gave for the turn before. */
  history?: readonly unknown[]
}

export type Searched = {
  text: string
  queries: readonly string[]
  /** The pages that were found. */
  pages: readonly string[]
  /** `words`: what the client shows as cited: of the answer, or of the page. */
  cited: readonly { url: string; title: string; words: string }[]
  /** As the usage tells it. */
  searches?: number | undefined
  /** The conversation so far, as the client sends it back. */
  history: readonly unknown[]
}

type Search = (searching: Searching) => Promise<Searched>

const chat: Search = async ({ origin, key, model, prompt, streamed, more, history = [] }) => {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: key, maxRetries: 0 })
  const messages = [...history, { role: 'user', content: prompt }] as OpenAI.ChatCompletionMessageParam[]
  const body = { model, messages, ...more }
  const completion = streamed
    ? await client.chat.completions.stream({ ...body, stream: true }).finalChatCompletion()
    : await client.chat.completions.create(body)
  const message = completion.choices[0]?.message
  const text = message?.content ?? ''
  const cited = (message?.annotations ?? []).map(({ url_citation: { url, title, start_index, end_index } }) => ({
    url,
    title,
    words: text.slice(start_index, end_index),
  }))
  return { text, queries: [], pages: [], cited, history: [...messages, message] }
}

const responses: Search = async ({ origin, key, model, prompt, streamed, more, history = [] }) => {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: key, maxRetries: 0 })
  const input = [...history, { role: 'user', content: prompt }] as OpenAI.Responses.ResponseInput
  const body = { model, input, store: false, ...more }
  const response = streamed ? await client.responses.stream(body).finalResponse() : await client.responses.create(body)
  const actions = response.output.flatMap((item) => (item.type === 'web_search_call' ? [item.action] : []))
  const searches = actions.filter((action) => action.type === 'search')
  const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const cited = parts.flatMap((part) =>
    part.type !== 'output_text'
      ? []
      : part.annotations.flatMap((annotation) =>
          annotation.type === 'url_citation'
            ? [{ ...annotation, words: part.text.slice(annotation.start_index, annotation.end_index) }]
            : [],
        ),
  )
  return {
    text: response.output_text,
    queries: searches.flatMap(({ queries = [] }) => queries),
    // The vendor tells them on request alone.
    pages: searches.flatMap(({ sources = [] }) => sources.map(({ url }) => url)),
    cited,
    history: [...input, ...response.output],
  }
}

const messages: Search = async ({ origin, key, model, prompt, streamed, more, history = [] }) => {
  const client = new Anthropic({ baseURL: origin, apiKey: key, maxRetries: 0 })
  const turns = [...history, { role: 'user', content: prompt }] as Anthropic.MessageParam[]
  const body = { model, max_tokens: 4_000, messages: turns, ...more }
  const message = streamed ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
  const texts = message.content.filter((block) => block.type === 'text')
  const found = message.content.filter((block) => block.type === 'web_search_tool_result')
  const calls = message.content.filter((block) => block.type === 'server_tool_use')
  if (calls.some(({ id }) => !found.some(({ tool_use_id }) => tool_use_id === id)))
    throw new Error('a call without result')
  return {
    text: texts.map(({ text }) => text).join(''),
    queries: calls.map(({ input }) => String((input as { query?: unknown }).query)),
    pages: found.flatMap(({ content }) => (Array.isArray(content) ? content.map(({ url }) => url) : [])),
    cited: texts.flatMap(({ citations }) =>
      (citations ?? []).flatMap((citation) =>
        citation.type === 'web_search_result_location'
          ? [{ url: citation.url, title: citation.title ?? '', words: citation.cited_text }]
          : [],
      ),
    ),
    searches: message.usage.server_tool_use?.web_search_requests,
    history: [...turns, { role: 'assistant', content: message.content }],
  }
}

const generateContent: Search = async ({ origin, key, model, prompt, streamed, more, history = [] }) => {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin } })
  const contents = [...history, { role: 'user', parts: [{ text: prompt }] }]
  const request = { model, contents, config: more } as GenerateContentParameters
  const chunks: GenerateContentResponse[] = []
  if (streamed) for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk)
  else chunks.push(await client.models.generateContent(request))
  const candidates = chunks.flatMap((chunk) => chunk.candidates ?? [])
  const text = candidates.map(({ content }) => (content?.parts ?? []).map((part) => part.text ?? '').join('')).join('')
  const grounding = candidates.flatMap(({ groundingMetadata }) => groundingMetadata ?? []).at(-1)
  const pages = (grounding?.groundingChunks ?? []).map(({ web }) => ({ url: web?.uri ?? '', title: web?.title ?? '' }))
  const bytes = Buffer.from(text)
  const cited = (grounding?.groundingSupports ?? []).flatMap(({ segment, groundingChunkIndices = [] }) =>
    groundingChunkIndices.flatMap((index) => {
      const page = pages[index]
      const words = bytes.subarray(segment?.startIndex ?? 0, segment?.endIndex).toString()
      return page === undefined ? [] : [{ ...page, words }]
    }),
  )
  return {
    text,
    queries: grounding?.webSearchQueries ?? [],
    pages: pages.map(({ url }) => url),
    cited,
    history: [...contents, { role: 'model', parts: [{ text }] }],
  }
}

export const SEARCHERS: Readonly<Record<TextDialectId, Search>> = {
  chat,
  responses,
  messages,
  'generate-content': generateContent,
}
