import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useSession } from '../../../app/session.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { TextArea } from '../../../ui/form/field.tsx'
import { useKeptText } from '../../../ui/kept-text.ts'
import { AddFiles, Thumbnails, useReadPictures } from '../pictures.tsx'
import type { Question } from './conversation.ts'

const MOST_PICTURES = 8

type ComposerProps = {
  /** Undefined: something is missing, such as a model. */
  onSend: ((question: Question) => void) | undefined
  /** Defined while an answer arrives. */
  onStop: (() => void) | undefined
  /** Stays at the end of the screen, before the conversation. */
  floats: boolean
}

export function Composer({ onSend, onStop, floats }: ComposerProps) {
  const t = useTexts().playground
  const [text, setText] = useKeptText(`message-${useSession().account.id}`)
  const [images, setImages] = useState<readonly string[]>([])
  const readPictures = useReadPictures(MOST_PICTURES)
  const isEmpty = text.trim() === '' && images.length === 0

  const add = async (files: Iterable<File>) => {
    const urls = await readPictures(files, images.length)
    setImages((former) => [...former, ...urls])
  }
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (isEmpty || onStop || !onSend) return
    onSend({ role: 'user', text: text.trim(), images })
    setText('')
    setImages([])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also chooses a word in input methods of Chinese and Japanese.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      onSubmit={send}
      onPaste={(event) => {
        const files = [...event.clipboardData.files]
        if (files.length > 0) void add(files)
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault()
      }}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return
        event.preventDefault()
        void add(event.dataTransfer.files)
      }}
      className={classes(
        'flex flex-col gap-2 rounded-lg border bg-surface p-3',
        floats && 'sticky bottom-14 wide:bottom-4',
      )}
    >
      <Thumbnails urls={images} onRemove={(at) => setImages(images.filter((_, index) => index !== at))} />
      <TextArea
        label={t.message}
        hideLabel
        rows={2}
        value={text}
        onChange={setText}
        onKeyDown={onKeyDown}
        placeholder={t.messageHint}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        <AddFiles label={t.addPictures} onAdd={(files) => void add(files)} />
        {onStop ? (
          <Button icon="stop" onClick={onStop}>
            {t.stop}
          </Button>
        ) : (
          <Button type="submit" variant="primary" disabled={isEmpty || !onSend}>
            {t.send}
          </Button>
        )}
      </div>
    </form>
  )
}
