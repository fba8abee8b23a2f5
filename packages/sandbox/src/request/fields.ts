// JSON of unknown shape, as the decoders of all dialects read it.
export type Json = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function numberOr<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return typeof value === 'number' ? value : fallback
}

export function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === 'string' ? value : fallback
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
