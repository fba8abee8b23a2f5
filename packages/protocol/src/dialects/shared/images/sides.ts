export type Sides = { width: number; height: number }

/** `1536x1024` as numbers; undefined for `auto` and anything else. */
export function sidesOf(size: string | undefined): Sides | undefined {
  const match = /^(\d{2,5})x(\d{2,5})$/.exec(size ?? '')
  return match === null ? undefined : { width: Number(match[1]), height: Number(match[2]) }
}
