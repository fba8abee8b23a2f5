// The model that moderates: a text with a word of a category is harmful in that category, and an image never is.
import { json } from '../delivery/json.ts'
import { badRequest } from '../request/errors.ts'
import { isObject } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { checkModel } from './check-model.ts'
import { wordsIn } from './words.ts'

export const SANDBOX_MODERATION = 'sandbox-moderation'

const WORDS: Readonly<Record<string, readonly string[]>> = {
  harassment: ['idiot', 'loser'],
  'harassment/threatening': [],
  hate: ['hate'],
  'hate/threatening': [],
  illicit: ['steal', 'shoplift'],
  'illicit/violent': [],
  'self-harm': [],
  'self-harm/intent': [],
  'self-harm/instructions': [],
  sexual: [],
  'sexual/minors': [],
  violence: ['kill', 'punch'],
  'violence/graphic': [],
}

export async function answerModerations(request: Request): Promise<Response> {
  const { model, input } = parseBody(await request.bytes())
  checkModel(model, SANDBOX_MODERATION)
  const inputs: readonly unknown[] = Array.isArray(input) ? input : [input]
  if (input === undefined || inputs.length === 0) throw badRequest("Missing required parameter: 'input'.", 'input')
  // Parts of one input are judged together, texts of a list one by one.
  const groups = inputs.every((each) => typeof each === 'string') ? inputs.map((each) => [each]) : [inputs]
  return json({ id: 'modr-sandbox', model, results: groups.map(resultOf) })
}

function resultOf(parts: readonly unknown[]): unknown {
  const words = wordsIn(parts.map(textOf).join(' '))
  const found = Object.entries(WORDS).map(([name, list]) => [name, list.some((word) => words.has(word))] as const)
  return {
    flagged: found.some(([, isFound]) => isFound),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, isFound]) => [name, isFound ? 0.9 : 0.01])),
    category_applied_input_types: Object.fromEntries(found.map(([name, isFound]) => [name, isFound ? ['text'] : []])),
  }
}

const textOf = (part: unknown): string =>
  typeof part === 'string' ? part : isObject(part) && typeof part.text === 'string' ? part.text : ''
