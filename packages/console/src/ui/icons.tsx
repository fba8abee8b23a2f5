// Icons of 16 by 16, drawn in the colour of the text. They are decoration: the text beside them, or a label, has the meaning.

const PATHS = {
  overview: 'M2.5 8.5h4v5h-4zM9.5 2.5h4v5h-4zM2.5 2.5h4v3h-4zM9.5 10.5h4v3h-4z',
  keys: 'M10.5 9a3.5 3.5 0 1 0-3.2-2.1L2.5 11.7v1.8h2.6v-1.8h1.8v-1.8h1.2l1-1c.4.1.9.1 1.4.1zM11.5 4.5h.01',
  connect: 'M5.5 2.5v3M10.5 2.5v3M4 5.5h8v2.7a4 4 0 0 1-8 0zM8 12.2v1.6',
  models: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6',
  usage: 'M2.5 13.5h11M4 11V7.5M8 11V2.5M12 11V5.5',
  budgets: 'M2.8 12a5.5 5.5 0 1 1 10.4 0M8 11.2l2.6-4M8 12.2h.01',
  wallet: 'M2.5 4.5h10a1 1 0 0 1 1 1v6.5a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1.5 1.5 0 0 1 1.5-1.5h7M11 8.8h.01',
  playground: 'M3.5 2.8v10.4L12.8 8z',
  settings: 'M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M9.5 2.8v3.4M6.5 9.8v3.4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  plus: 'M8 3v10M3 8h10',
  external: 'M6.5 3.5h-4v10h10v-4M9.5 2.5h4v4M13.3 2.7 7.5 8.5',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11',
  warning: 'M8 2.2 14.3 13.3H1.7zM8 6.5v3M8 11.4h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.3v3.4M8 5.2h.01',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  person: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.5c.6-2.4 2.7-3.5 5.2-3.5s4.6 1.1 5.2 3.5',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9',
  edit: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7z',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.5L13 6M13 2.5V6H9.5',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  stop: 'M4 4h8v8H4z',
  record: 'M8 12.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9z',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.3 6.3a1.8 1.8 0 1 1 2.5 1.9c-.5.2-.8.6-.8 1.1M8 11.2h.01',
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <Drawing path={PATHS[name]} size={size} />
)

/** For icons that one part of the console has for itself. */
export function Drawing({ path, size = 16 }: { path: string; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={path} />
    </svg>
  )
}
