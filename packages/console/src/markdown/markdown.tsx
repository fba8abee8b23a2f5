// A model's answer as React elements. Nothing of it becomes HTML: every text is a text node, and links and images must pass
// addresses.ts.

import { createContext, Fragment, memo, type ReactNode, useContext, useMemo } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../i18n/language.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { safeImage, safeLink } from './addresses.ts'
import { type Block, parseBlocks } from './blocks.ts'
import { type Inline, parseInline } from './inline.ts'

/** Longer texts are shown as they are. */
const LONGEST = 400_000

/**
 * A text of our own instead of a model's: its headings are headings of the page, and its links may lead to other pages of the console.
 */
export type Document = { anchorOf(heading: string): string; pathOf(href: string): string | undefined }
export const DocumentContext = createContext<Document | undefined>(undefined)

type MarkdownProps = { text: string; baseUrl: string }

export const Markdown = memo(function Markdown({ text, baseUrl }: MarkdownProps) {
  const blocks = useMemo(() => (text.length > LONGEST ? undefined : parseBlocks(text)), [text])
  if (!blocks) return <p className="break-words whitespace-pre-wrap">{text}</p>
  return (
    <div className="flex min-w-0 flex-col gap-3 break-words">
      <Blocks blocks={blocks} baseUrl={baseUrl} />
    </div>
  )
})

function Blocks({ blocks, baseUrl }: { blocks: readonly Block[]; baseUrl: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end.
  return blocks.map((block, index) => <OneBlock key={index} block={block} baseUrl={baseUrl} />)
}

const HEADINGS = ['text-lg', 'text-lg', 'text-base', 'text-base', 'text-base', 'text-base']

const OneBlock = memo(
  function OneBlock({ block, baseUrl }: { block: Block; baseUrl: string }): ReactNode {
    const t = useTexts().playground
    const line = (text: string) => <Line text={text} baseUrl={baseUrl} />
    switch (block.kind) {
      case 'paragraph':
        return <p>{line(block.text)}</p>
      case 'heading':
        return <Heading level={block.level} text={block.text} baseUrl={baseUrl} />
      case 'rule':
        return <hr />
      case 'code':
        return <CodeBlock code={block.code} label={t.code} />
      case 'quote':
        return (
          <blockquote className="flex flex-col gap-2 border-l-2 border-edge/50 pl-3 text-muted">
            <Blocks blocks={block.blocks} baseUrl={baseUrl} />
          </blockquote>
        )
      case 'list':
        return <List items={block.items} start={block.start} baseUrl={baseUrl} />
      case 'table':
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          <section tabIndex={0} aria-label={t.table} className="max-w-full overflow-x-auto">
            <table className="border-collapse text-left">
              <thead>
                <tr>
                  {block.head.map((cell, index) => (
                    <th key={keyOf(index)} className="border px-2 py-1 font-medium">
                      {line(cell)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {block.rows.map((row, index) => (
                  <tr key={keyOf(index)}>
                    {row.map((cell, column) => (
                      <td key={keyOf(column)} className="border px-2 py-1 align-top">
                        {line(cell)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )
    }
  },
  // While an answer arrives, only its last block changes.
  (a, b) => a.baseUrl === b.baseUrl && sameBlock(a.block, b.block),
)

function Heading({ level, text, baseUrl }: MarkdownProps & { level: number }) {
  const document = useContext(DocumentContext)
  const line = <Line text={text} baseUrl={baseUrl} />
  // Not a heading of the page: the page has its own order of headings.
  if (!document) return <p className={`mt-1 font-semibold ${HEADINGS[level - 1]}`}>{line}</p>
  const Tag = level <= 2 ? 'h2' : 'h3'
  return (
    <Tag id={document.anchorOf(text)} className={`mt-4 scroll-mt-4 font-semibold ${HEADINGS[level - 1]}`}>
      {line}
    </Tag>
  )
}

function sameBlock(a: Block, b: Block): boolean {
  if (a.kind === 'paragraph') return b.kind === 'paragraph' && a.text === b.text
  if (a.kind === 'code') return b.kind === 'code' && a.code === b.code
  return a === b
}

const keyOf = (index: number): string => String(index)

function List({ items, start, baseUrl }: { items: readonly Block[][]; start: number | undefined; baseUrl: string }) {
  const rows = items.map((blocks, index) => (
    <li key={keyOf(index)}>
      <div className="flex min-w-0 flex-col gap-1">
        <Blocks blocks={blocks} baseUrl={baseUrl} />
      </div>
    </li>
  ))
  const look = 'flex flex-col gap-1 pl-6'
  return start === undefined ? (
    <ul className={`list-disc ${look}`}>{rows}</ul>
  ) : (
    <ol start={start} className={`list-decimal ${look}`}>
      {rows}
    </ol>
  )
}

function Line({ text, baseUrl }: MarkdownProps) {
  const items = useMemo(() => parseInline(text), [text])
  return <Items items={items} baseUrl={baseUrl} />
}

function Items({ items, baseUrl }: { items: readonly Inline[]; baseUrl: string }) {
  return items.map((item, index) => <Fragment key={keyOf(index)}>{itemOf(item, baseUrl)}</Fragment>)
}

function itemOf(item: Inline, baseUrl: string): ReactNode {
  if (typeof item === 'string') return item
  switch (item.kind) {
    case 'break':
      return <Break />
    case 'code':
      return <code className="rounded-sm bg-raised px-1 py-0.5 font-mono text-sm break-words">{item.text}</code>
    case 'strong':
      return (
        <strong className="font-semibold">
          <Items items={item.children} baseUrl={baseUrl} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <Items items={item.children} baseUrl={baseUrl} />
        </em>
      )
    case 'strike':
      return (
        <s>
          <Items items={item.children} baseUrl={baseUrl} />
        </s>
      )
    case 'link':
      return <OutsideLink text={item.text} href={item.href} />
    case 'image':
      return <AnswerImage alt={item.alt} src={item.src} baseUrl={baseUrl} />
  }
}

/** Our own documents are wrapped, so that the end of a line means nothing; models mean it. */
function Break() {
  return useContext(DocumentContext) === undefined ? <br /> : ' '
}

/** Shows the host where the text does not; the text cannot change the direction of what follows. */
function OutsideLink({ text, href }: { text: string; href: string }) {
  const path = useContext(DocumentContext)?.pathOf(href)
  const link = safeLink(href, text)
  if (path !== undefined)
    return (
      <Link href={path} className="text-link underline">
        {text}
      </Link>
    )
  if (!link) return <bdi>{text}</bdi>
  return (
    <>
      <a href={link.href} target="_blank" rel="noreferrer noopener nofollow" className="text-link underline break-all">
        <bdi>{text}</bdi>
      </a>
      {link.host !== undefined && <bdi className="text-sm text-muted"> ({link.host})</bdi>}
    </>
  )
}

function AnswerImage({ alt, src, baseUrl }: { alt: string; src: string; baseUrl: string }) {
  const t = useTexts().playground
  const isDocument = useContext(DocumentContext) !== undefined
  const safe = safeImage(src, [location.origin, baseUrl])
  // Pictures of the console, which is open already.
  if (isDocument) return null
  if (safe !== undefined) return <img src={safe} alt={alt} className="my-1 max-h-96 max-w-full rounded-md border" />
  return <OutsideLink text={alt === '' ? t.picture : `${t.picture}: ${alt}`} href={src} />
}
