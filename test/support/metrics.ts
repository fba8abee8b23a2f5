// The metrics of a running gateway.
import { parseUsd } from '../../packages/gateway/src/money/amount.ts'

/** On a new connection, which the kernel assigns to any of the workers. */
export const scrape = (gateway: { url: string }, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gateway.url}/metrics`, { headers: { connection: 'close', ...headers } })

export const linesOf = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(name))

/** The value of a line. */
export const lastOf = (line: string): string => line.split(' ').at(-1) ?? ''

/** The sum of a metric's series, in nano-USD. */
export const usdIn = (text: string, name: string): bigint =>
  linesOf(text, name).reduce((sum, line) => sum + (parseUsd(lastOf(line)) ?? -1n), 0n)

/** The sum of those of a metric's series that have these labels. */
export const countIn = (text: string, name: string, labels = ''): number =>
  linesOf(text, name)
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(lastOf(line)), 0)
