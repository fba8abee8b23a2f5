// Names of Claude in Amazon Bedrock, by the names that the programs take.
import { BEDROCK } from '../known.ts'

const BY_NAME = new Map(
  BEDROCK.trim()
    .split('\n')
    .map((line) => {
      const [name = '', id = '', ...parts] = line.split(' ')
      return [name, { id: `anthropic.${id}`, parts }] as const
    }),
)
const PROFILES: Readonly<Record<string, string>> = { us: 'us', eu: 'eu', ap: 'apac' }

/** Other names are names of Bedrock already. */
export function bedrockModel(name: string, region: string): string {
  const found = BY_NAME.get(name)
  const part = region.slice(0, 2)
  if (!found) return name
  return found.parts.includes(part) ? `${PROFILES[part]}.${found.id}` : found.id
}
