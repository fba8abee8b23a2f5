import { useAbout } from '../../../api/queries.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { safeImage } from '../../../markdown/addresses.ts'
import { Button, ButtonAnchor, IconButton, Spinner } from '../../../ui/button.tsx'
import { Badge } from '../../../ui/states.tsx'
import { Time } from '../../../ui/values.tsx'
import { AnswerFacts } from '../answer-facts.tsx'
import { Failure } from '../failure.tsx'
import { isRunning, stop } from '../history.ts'
import { Thumbnails } from '../pictures.tsx'
import { codeOf, RequestCode } from '../request-code.tsx'
import { editCode } from './edit-code.ts'
import { extensionOf, type ImageEntry, imageBody } from './image-call.ts'

type ImageViewProps = { entry: ImageEntry; onAgain(): void; onEdit(url: string): void; onRemove(): void }

export function ImageView({ entry, onAgain, onEdit, onRemove }: ImageViewProps) {
  const t = useTexts().playground
  const { data: about } = useAbout()
  const { settings, inputs, mask, images, partial, outcome } = entry
  const isWaiting = outcome.state === 'running' && isRunning(entry.id)
  const shown = images.length > 0 ? images : partial === '' ? [] : [partial]
  return (
    <article
      aria-label={settings.prompt}
      aria-busy={isWaiting}
      className="flex min-w-0 flex-col gap-3 rounded-lg border bg-surface p-4"
    >
      <header className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <p className="break-words whitespace-pre-wrap">{settings.prompt}</p>
          <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-muted">
            <span className="break-all">{settings.model}</span>
            <Time at={new Date(entry.at).toISOString()} />
            {isWaiting && <Spinner />}
            {outcome.state === 'stopped' && <Badge tone="warn">{t.stopped}</Badge>}
          </p>
        </div>
        {isWaiting ? (
          <Button icon="stop" onClick={() => stop(entry.id)}>
            {t.stop}
          </Button>
        ) : (
          <IconButton icon="trash" label={t.removeEntry(settings.prompt.slice(0, 60))} onClick={onRemove} />
        )}
      </header>
      <Thumbnails urls={[...inputs, ...(mask === '' ? [] : [mask])]} />
      {isWaiting && shown.length === 0 && (
        <div className="skeleton grid aspect-square w-full max-w-96 place-items-center text-muted">{t.waiting}</div>
      )}
      <div className="flex flex-wrap gap-4">
        {shown.map((url, index) => {
          const safe = safeImage(url, [location.origin, about?.base_url ?? ''])
          const isFinal = images.length > 0
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: images are only added at the end.
            <figure key={index} className="flex w-full max-w-[512px] min-w-0 flex-col gap-2">
              {safe === undefined ? (
                <p className="text-muted">{t.foreignImage}</p>
              ) : (
                <img
                  src={safe}
                  alt={isFinal ? settings.prompt : t.partialImage}
                  data-final={isFinal}
                  className="h-auto w-full rounded-md border"
                />
              )}
              {isFinal && safe?.startsWith('data:') && (
                <figcaption className="flex flex-wrap gap-2">
                  <ButtonAnchor small icon="download" href={safe} download={`image-${index + 1}.${extensionOf(safe)}`}>
                    {t.download}
                  </ButtonAnchor>
                  <Button small icon="edit" onClick={() => onEdit(safe)}>
                    {t.editThis}
                  </Button>
                </figcaption>
              )}
            </figure>
          )
        })}
      </div>
      {outcome.error && <Failure error={outcome.error} />}
      <AnswerFacts
        outcome={outcome}
        isEnded={!isWaiting}
        first={t.firstImage}
        code={() => (
          <RequestCode
            snippet={
              inputs.length > 0
                ? (language, access) => editCode(entry, language, access)
                : codeOf({ protocol: 'images', body: imageBody(settings) })
            }
          />
        )}
        actions={
          <Button small variant="quiet" icon="refresh" onClick={onAgain}>
            {t.again}
          </Button>
        }
      />
    </article>
  )
}
