// Where callers get credit, and whom they ask, for messages of errors that they cannot mend themselves.
import type { FileConfig } from '../config/types.ts'

type Config = Pick<FileConfig, 'server' | 'console'>

/** A sentence, or nothing if the operator has named no address. */
export function contactText({ console: { supportUrl } }: Config): string {
  return supportUrl === undefined ? '' : ` Contact the operator: ${supportUrl.replace(/^mailto:/, '')}.`
}

export function paymentText(config: Config): string {
  const { publicUrl } = config.server
  const page = publicUrl === undefined ? '' : ` Add credit at ${publicUrl}/console/wallet.`
  return `${page}${contactText(config)}`
}
