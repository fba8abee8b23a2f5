// Limits and changes of routes, for generated configurations.

/** Fields that every text dialect has, or that none has. */
export const ROUTE_CHANGES = {
  set: { vendor_hint: 'a' },
  default: { vendor_depth: 2 },
  drop: ['vendor_flag'],
  headers: { set: { 'x-team': 'a' }, default: { 'x-part': 'b' }, drop: ['x-other'] },
  system: { before: 'Answer briefly.', after: 'Be kind.' },
}

type Fields = { [name: string]: unknown }
type Makers = {
  oneOf<T>(list: readonly T[]): T
  /** Each field with a probability of a half. */
  some(makers: { [name: string]: () => unknown }): Fields
  integer(least: number, most: number): number
}

export const requestLimits = ({ oneOf, some, integer }: Makers): Fields =>
  some({
    rpm: () => integer(1, 999),
    tpm: () => integer(1, 999_999),
    usd_per_day: () => oneOf([0.5, 20, '1000.000000001']),
    concurrent: () => integer(1, 99),
  })

/** `later`: another model of the same type, whose own replacement does not lead back. */
export const modelNames = (id: string, later: string | undefined) => ({
  aliases: () => [`also-${id}`],
  hidden: () => true,
  retires: () => '2099-12-01',
  ...(later === undefined ? {} : { replaced_by: () => later }),
})
