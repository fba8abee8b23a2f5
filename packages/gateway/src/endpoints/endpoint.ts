// What is said of the endpoints that call models of one type. It is data without imports of the gateway, so that the console, the
// OpenAPI document, the reference pages and tests can read it; what serves a request is bound to its routes in routes.ts.
import type { Json } from './schema.ts'

type Names = Readonly<Record<string, string>>

/** What a language calls a type of model. What has no text is shown by its name in the API. */
export type TypeWords = {
  name: string
  /** The figure by which models are compared, behind `USD`. */
  units?: Names
  /** Those of tokens stand below "USD per million tokens". */
  figures?: Names
  limits?: Names
  receipt?: Names
}

/**
 * What the gateway itself requires of requests, and what responses always have. All other fields are those of the vendors'
 * protocols, which are passed on. The examples work with the embedded models.
 */
export type EndpointRoute = {
  body?: { schema: Json; example: Json /** Sent as a form, with these files. */; files?: Json }
  /** Parameters of the path and the query; `in` for those of headers. */
  parameters?: Readonly<Record<string, Json>>
  /** By status; 200 unless given. `stream`: also as events. `types`: the media types of what has no schema. */
  responses?: Readonly<Record<number, { schema?: Json; stream?: true; types?: readonly string[] }>>
}

/** Models that are sold by one unit, and of which nothing else has to be known: their modality is made of this. */
export type UnitModels = {
  /** What they generate, in messages. */
  generates: string
  /** Where they are called, for requests to another endpoint: a sentence. */
  where: string
  capabilities?: readonly 'images'[]
  /** How a price and limits are written, for messages. */
  examples: { price: string; limits: string }
  /** By the names of limits: what no vendor takes, whatever a model's limit is. */
  limits: Readonly<Record<string, number>>
  /** The embedded model; `nanos`: its price in nano-USD for the first figure. */
  sandbox: { id: string; nanos: number; limits?: Readonly<Record<string, number>> }
}

export type Endpoint = {
  /** The section of the reference page. */
  title: string
  /** The group of the API description. */
  tag: string
  /** What clients can call, by the words of messages. */
  offered: readonly string[]
  /** Services that an upstream may have besides text and images: each at one path below the base URL, as most have it. */
  services?: Names
  /** By which figures models are sold: `usual` if nothing is known yet, `all` that a price can have; `output`: where it is no text. */
  figures: { usual: readonly string[]; all: readonly string[]; output?: string }
  words: { en: TypeWords; zh: TypeWords }
  models?: UnitModels
  /** By the ids of the protocol's table; one that is not here is described without its fields. */
  routes: Readonly<Record<string, EndpointRoute>>
}
