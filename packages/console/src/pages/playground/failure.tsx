import { Link } from 'wouter'
import type { ApiError } from '../../api/client.ts'
import { useLanguage } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Banner, useErrorMessage } from '../../ui/states.tsx'
import { formatUsd } from '../../ui/values.tsx'

/** What a failed call lacks, by the codes of all protocols, and the page where it can be mended. */
const LACKS: Readonly<Record<string, 'keys' | 'wallet'>> = {
  key_quota_exceeded: 'keys',
  QuotaExceeded: 'keys',
  insufficient_balance: 'wallet',
  AccountOverdueError: 'wallet',
}

/** The gateway's message names the field that is wrong, which a text by the code cannot: it is shown below a translation. */
const IN_THE_REQUEST: ReadonlySet<string> = new Set([
  ...['invalid_request_error', 'bad_request', 'unsupported_parameter', 'context_length_exceeded', 'InvalidParameter'],
])

/** `other`: what to try instead, if the model or its upstream is at fault. */
export type OtherModel = { id: string; onTry(): void }

type FailureProps = {
  error: ApiError
  other?: OtherModel | undefined
  /** The seconds of a video, whose length decides what it can cost. Empty: the model chose it. */
  seconds?: string
}

export function Failure({ error, other, seconds }: FailureProps) {
  const { texts, locale } = useLanguage()
  const t = texts.playground
  const message = useErrorMessage()
  // The same code may be about the cap of the account, which its holder cannot raise.
  const place = error.message.startsWith("The account's") ? undefined : LACKS[error.code]
  const amounts = place && amountsIn(error.message)?.map((usd) => formatUsd(usd, locale))
  const isTranslated = t.errors[error.code] !== undefined
  return (
    <Banner
      tone="bad"
      action={
        place ? (
          <Link href={`/${place}`} className="font-medium underline">
            {t.mend[place]}
          </Link>
        ) : other && isUpstreamFault(error) ? (
          <Button small icon="refresh" onClick={other.onTry}>
            {t.tryOther(other.id)}
          </Button>
        ) : undefined
      }
    >
      {place
        ? amounts
          ? t.lacksUsd(place, amounts[1] ?? '', amounts[0] ?? '', seconds)
          : t.lacks[place]
        : (t.errors[error.code] ?? message(error))}
      {isTranslated && IN_THE_REQUEST.has(error.code) && (
        <span lang="en" className="block text-sm">
          {error.message}
        </span>
      )}
      {error.requestId && <span className="block font-mono text-xs">{texts.common.requestId(error.requestId)}</span>}
    </Banner>
  )
}

/** What is left, and what the request needs, as the gateway says in every protocol. */
const amountsIn = (message: string): string[] | undefined =>
  /Available: (-?[\d.]+) USD; this request needs at least ([\d.]+) USD/.exec(message)?.slice(1)

/** Another model may answer where this one did not: its upstream failed, is overloaded or does not have it. */
export const isUpstreamFault = ({ status, code }: Pick<ApiError, 'status' | 'code'>): boolean =>
  (status >= 500 || status === 404 || status === 0) && code !== 'connection_lost' && code !== 'overloaded'
