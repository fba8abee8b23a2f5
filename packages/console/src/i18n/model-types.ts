// What every language calls a type of model: its name, the figures of its prices, its limits, and the units on receipts. Endpoints
// declare it.
import type { Endpoint, TypeWords } from '@trivium/gateway/endpoints/endpoint.ts'
import { ENDPOINTS } from '@trivium/gateway/endpoints/index.ts'
import type { Language } from './locale.ts'

type Names = Readonly<Record<string, string>>

export const typeNames = (language: Language): Names =>
  Object.fromEntries(Object.entries(ENDPOINTS).map(([type, { words }]) => [type, words[language].name]))

/** The words of all types together. */
export const typeWords = (language: Language, part: Exclude<keyof TypeWords, 'name'>): Names =>
  Object.assign({}, ...Object.values<Endpoint>(ENDPOINTS).map(({ words }) => words[language][part]))
