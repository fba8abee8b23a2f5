// Schemas of bodies and responses, as OpenAPI has them. All objects are open: fields that are not named are passed on.

export type Json = Readonly<Record<string, unknown>>

export const STRING: Json = { type: 'string' }
export const INTEGER: Json = { type: 'integer' }
export const BOOLEAN: Json = { type: 'boolean' }
export const MAP: Json = { type: 'object' }
export const NULLABLE: Json = { type: ['string', 'null'] }
export const MODEL: Json = { type: 'string', description: 'One of GET /v1/models.' }
export const STREAM = { stream: { ...BOOLEAN, description: 'The response is a stream of events.' } }

export const list = (items: Json = MAP): Json => ({ type: 'array', items })
export const always = (value: string): Json => ({ type: 'string', enum: [value] })

/** `more`: fields that may be absent. */
export const open = (properties: Readonly<Record<string, Json>>, more: Readonly<Record<string, Json>> = {}): Json => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...more },
  additionalProperties: true,
})
