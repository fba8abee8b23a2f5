import { useEffect, useState } from 'react'
import { useAbout } from '../../../api/queries.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { ownMedia } from '../../../markdown/addresses.ts'
import { Button, ButtonAnchor, IconButton } from '../../../ui/button.tsx'
import { Badge, useErrorMessage } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { Duration, Time } from '../../../ui/values.tsx'
import { AnswerFacts } from '../answer-facts.tsx'
import { Failure } from '../failure.tsx'
import type { History } from '../history/history.ts'
import { codeOf, RequestCode } from '../request-code.tsx'
import { cancelVideo, isEnded, refreshVideo, type VideoEntry, videoBody } from './video-call.ts'

const POLL_MS = 2_000

type VideoViewProps = { entry: VideoEntry; history: History<VideoEntry>; onAgain(): void; onRemove(): void }

export function VideoView({ entry, history, onAgain, onRemove }: VideoViewProps) {
  const t = useTexts().playground
  const { data: about } = useAbout()
  const { settings, outcome, status, url } = entry
  const ended = isEnded(entry)
  const src = ownMedia(url, [location.origin, about?.base_url ?? ''])
  useTask(entry, history)
  return (
    <article
      aria-label={settings.prompt}
      aria-busy={!ended}
      className="flex min-w-0 flex-col gap-3 rounded-lg border bg-surface p-4"
    >
      <header className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <p className="break-words whitespace-pre-wrap">{settings.prompt}</p>
          <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-muted">
            <span className="break-all">{settings.model}</span>
            <Time at={new Date(entry.at).toISOString()} />
            {outcome.state === 'stopped' && <Badge tone="warn">{t.cancelled}</Badge>}
          </p>
        </div>
        {ended ? (
          <IconButton icon="trash" label={t.removeEntry(settings.prompt.slice(0, 60))} onClick={onRemove} />
        ) : (
          <Cancel entry={entry} history={history} />
        )}
      </header>
      {!ended && <Progress entry={entry} />}
      {status === 'succeeded' && src !== undefined && (
        <div className="flex max-w-[640px] flex-col items-start gap-2">
          {/* biome-ignore lint/a11y/useMediaCaption: the model gives no captions. */}
          <video
            controls
            playsInline
            preload="metadata"
            src={src}
            aria-label={settings.prompt}
            className="w-full rounded-md border bg-canvas"
          />
          <ButtonAnchor small icon="download" href={src} download="video.mp4">
            {t.download}
          </ButtonAnchor>
        </div>
      )}
      {(status === 'expired' || (status === 'succeeded' && url !== '' && src === undefined)) && (
        <p className="text-muted">{t.videoGone}</p>
      )}
      {outcome.error && <Failure error={outcome.error} seconds={settings.seconds} />}
      <AnswerFacts
        outcome={outcome}
        isEnded={ended}
        code={() => <RequestCode snippet={codeOf({ protocol: 'video-tasks', body: videoBody(settings) })} />}
        actions={
          <Button small variant="quiet" icon="refresh" onClick={onAgain}>
            {t.again}
          </Button>
        }
      />
    </article>
  )
}

/** Follows the task while it runs; once after that, because its signed address expires. */
function useTask(entry: VideoEntry, history: History<VideoEntry>): void {
  const { id, task, status } = entry
  const ended = isEnded(entry)
  const { find, put } = history
  useEffect(() => {
    if (task === '' || (ended && status !== 'succeeded')) return
    const controller = new AbortController()
    const refresh = () => void refreshVideo({ find, put }, id, controller.signal)
    refresh()
    const timer = ended ? undefined : setInterval(refresh, POLL_MS)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [id, task, ended, status, find, put])
}

function Progress({ entry }: { entry: VideoEntry }) {
  const t = useTexts().playground
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const label = t.statuses[entry.status] ?? t.statuses.running ?? ''
  return (
    <div className="flex max-w-[640px] flex-col gap-2">
      <div className="skeleton aspect-video w-full" />
      <div className="flex items-center justify-between gap-2 text-sm text-muted">
        <span role="status">{label}</span>
        <Duration ms={Math.max(0, Math.round((now - entry.at) / 1_000)) * 1_000} />
      </div>
      <div role="progressbar" aria-label={label} className="skeleton h-1 w-full" />
    </div>
  )
}

function Cancel({ entry, history }: { entry: VideoEntry; history: History<VideoEntry> }) {
  const t = useTexts().playground
  const toast = useToast()
  const message = useErrorMessage()
  const [isBusy, setBusy] = useState(false)
  const cancel = async () => {
    setBusy(true)
    const error = await cancelVideo(entry)
    if (error) toast(message(error), 'bad')
    else await refreshVideo(history, entry.id, new AbortController().signal)
    setBusy(false)
  }
  return (
    <Button icon="stop" busy={isBusy} disabled={entry.task === ''} onClick={cancel}>
      {t.cancel}
    </Button>
  )
}
